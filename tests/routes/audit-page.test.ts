import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { verifyAudit } from "../../lib/console/audit/verify";
import type { ConsoleContext } from "../../lib/console/context";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const list = async (query = "", cookie = owner) =>
  (await harness(`/api/audit${query}`, { cookie })).json.data;
const verify = (cookie = owner) => harness("/api/audit/verify", { cookie });

test("names the actor and the target of an audit row, even when the target is deleted", async () => {
  const key = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
  await harness(`/api/keys/${key.id}`, { method: "DELETE", cookie: owner });
  const [removed, made] = (await list("?action=key")).items;
  expect(removed).toMatchObject({ action: "key.delete", actor_name: "olivia", target_name: "robot" });
  expect(made).toMatchObject({ action: "key.create", target: key.id, target_name: "robot" });
  expect(JSON.stringify([removed, made])).not.toContain(key.key);
});

test("filters the audit log by actor, target, group of actions and time", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  services.clock.advance(60_000);
  const since = new Date(services.clock.now()).toISOString();
  const key = (await harness("/api/keys", { body: { name: "hers" }, cookie: mia.cookie })).json.data;
  const actions = async (query: string) =>
    (await list(query)).items.map((row: { action: string }) => row.action);
  expect(await actions(`?actor=${mia.id}&action=key`)).toEqual(["key.create"]);
  expect(await actions(`?target=${key.id}`)).toEqual(["key.create"]);
  expect(await actions(`?from=${since}`)).toEqual(["key.create"]);
  expect(await actions(`?to=${since}&action=user.create,setup`)).toEqual(["user.create", "setup.claim"]);
  expect((await harness("/api/audit?action=%25", { cookie: owner })).status).toBe(400);
});

test("verifies the audit chain, and finds a cut-off end, a forged head and a changed row", async () => {
  await addUser(harness, owner, { username: "mia" });
  const { items } = await list();
  expect((await verify()).json.data).toMatchObject({
    whole: true,
    rows: items.length,
    newest_hash: items[0].hash,
    broken_at: null,
    expected_rows: items.length,
  });
  const file = new Database(path.join(services.dataDirectory, "patchbay.db"));
  for (const verb of ["update", "delete"]) file.exec(`drop trigger audit_no_${verb}`);
  file.exec(`delete from audit where seq = ${items.length}`);
  expect((await verify()).json.data).toMatchObject({
    whole: false,
    rows: items.length - 1,
    broken_at: null,
    expected_rows: items.length,
  });
  file.exec("update audit_head set mac = 'x'");
  expect((await verify()).json.data).toMatchObject({ whole: false, broken_at: null, expected_rows: null });
  file.exec("update audit set actor = 'mallory' where seq = 2");
  file.close();
  expect((await verify()).json.data).toMatchObject({ whole: false, rows: 1, broken_at: 2 });
});

test("verifies the audit chain once for concurrent callers", async () => {
  const read = vi.spyOn(services.store.audit, "verify");
  const user = await services.store.users.findByNameOrEmail("olivia");
  const ctx = { ...services, caller: { kind: "session", user } } as unknown as ConsoleContext;
  await Promise.all([verifyAudit(ctx), verifyAudit(ctx)]);
  expect(read).toHaveBeenCalledTimes(1);
  await verifyAudit(ctx);
  expect(read).toHaveBeenCalledTimes(2);
});

test("allows only signed-in administrators to read or verify the audit log", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  expect((await harness("/api/audit", { cookie: mia.cookie })).status).toBe(403);
  expect((await verify(mia.cookie)).status).toBe(403);
  expect((await harness("/api/audit/verify")).status).toBe(401);
});

test("names a deleted target by its last name", async () => {
  const { id, version } = (await harness("/api/keys", { body: { name: "old" }, cookie: owner })).json.data;
  const renaming = { method: "PATCH", body: { name: "new", version }, cookie: owner };
  expect((await harness(`/api/keys/${id}`, renaming)).status).toBe(200);
  await harness(`/api/keys/${id}`, { method: "DELETE", cookie: owner });
  const names = (await list("?action=key")).items.map((row: { target_name: string }) => row.target_name);
  expect(names).toEqual(["new", "new", "new"]);
});

test("names an invite by its e-mail address when created and revoked", async () => {
  const body = { role: "member", email: "mia@example.com", expires_hours: 24 };
  const invite = (await harness("/api/invites", { body, cookie: owner })).json.data;
  await harness(`/api/invites/${invite.id}`, { method: "DELETE", cookie: owner });
  const rows = (await list("?action=invite")).items;
  expect(rows.map((row: { target_name: string }) => row.target_name)).toEqual([body.email, body.email]);
});
