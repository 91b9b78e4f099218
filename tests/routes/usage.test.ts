import { expect, test } from "vitest";
import type { ConsoleContext } from "@/lib/console/context";
import { USAGE_EXPORT_COLUMNS, UsageList, UsageQuery } from "@/lib/contracts/console/usage";
import { USAGE_ROUTES } from "@/lib/http/routes/console/usage";
import type { Role, UsageRecord } from "@/lib/ports/store";
import { openGatewayHarness } from "../support/gateway-harness";

async function list(role: Role, sent: Record<string, string> = {}) {
  const harness = openGatewayHarness();
  await harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input: "a" } });
  const asked: unknown[] = [];
  const store = {
    ledger: {
      names: async () => new Map([["key_1", "Radio"]]),
      list: async (query: unknown) => {
        asked.push(query);
        return {
          items: harness.rows.map((row): UsageRecord => ({ ...row, costNano: 200, overrun: true })),
          nextCursor: "c",
          searchedFrom: Date.parse("2026-09-20T00:00:00Z"),
        };
      },
    },
  };
  const caller = { kind: "session", user: { id: "usr_me", role } };
  // The handler uses only the caller and the ledger.
  const ctx = { store, caller } as unknown as ConsoleContext;
  const [route] = USAGE_ROUTES;
  if (route?.surface !== "console") throw new Error("the usage list is not a console route");
  const input = { body: undefined, query: UsageQuery.parse(sent), params: {}, request: undefined };
  const reply = await route.handle(ctx, input as unknown as Parameters<typeof route.handle>[1]);
  return { asked, data: UsageList.parse(reply?.data) };
}

test("returns rows in the contract's form, with costs in dollars", async () => {
  const { data } = await list("owner");
  expect([data.next_cursor, data.searched_from]).toEqual(["c", "2026-09-20T00:00:00.000Z"]);
  expect(data.items[0]).toMatchObject({
    request_id: "req-1",
    at: "2026-09-21T14:13:20.000Z",
    key_id: "key_1",
    key_name: "Radio",
    channel_name: null,
    model: "patchbay-embed",
    cost_usd: "0.000000200",
    status: 200,
    overrun: true,
  });
  expect([...USAGE_EXPORT_COLUMNS].sort()).toEqual(Object.keys(data.items[0] ?? {}).sort());
});

test("lets the owner read the calls of another user, and a member only their own calls", async () => {
  expect((await list("owner", { user_id: "usr_2" })).asked).toMatchObject([{ userId: "usr_2", limit: 50 }]);
  expect((await list("member")).asked).toMatchObject([{ userId: "usr_me" }]);
  const others = await list("member", { user_id: "usr_2" });
  expect([others.asked, others.data.items]).toEqual([[], []]);
});
