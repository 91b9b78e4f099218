import { afterAll, beforeAll, expect, test } from "vitest";
import { flowRecord, userRecord } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { storeContract } from "./store";
import { newPostgresPlace } from "./store/postgres-database";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());

storeContract(() => newPostgresPlace(server));

test("refuses a backup and names PostgreSQL's own tool", async () => {
  const database = await newPostgresPlace(server);
  const store = await database.open();
  await expect(store.backup("/tmp/backup")).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("pg_dump"),
  });
  await database.remove();
});

test("does not report a transaction as committed when its work ignored a failed statement", async () => {
  const database = await newPostgresPlace(server);
  const store = await database.open();
  const user = userRecord();
  await store.users.insert(user);
  const flow = flowRecord(user.id);
  const swallowing = store.transaction(async (tx) => {
    await tx.flows.insert(flow);
    await tx.flows.insert(flow).catch(() => undefined);
  });
  await expect(swallowing).rejects.toMatchObject({ code: "internal" });
  expect(await store.flows.find(flow.digest)).toBeNull();
  await database.remove();
});
