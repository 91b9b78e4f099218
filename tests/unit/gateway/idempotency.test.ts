import { expect, test } from "vitest";
import { createIdempotency } from "@/lib/gateway/idempotency";
import { FakeClock } from "../../support/factories";

const caller = (owner: string) => ({ key: { id: `key of ${owner}` }, owner: { id: owner } });
const replyOf = (bytes: number) => ({ status: 200, headers: {}, body: new Uint8Array(bytes), row: null });

/** The memory is enough for ten replies of this size. */
const SIZE = 10_000;
const MEMORY = 10 * (SIZE + 1_000);

function opened() {
  const idempotency = createIdempotency(new FakeClock(), MEMORY);
  const store = async (owner: string, key: string) => {
    const start = await idempotency.begin(caller(owner), key, "digest");
    if (start.kind === "first") start.store(replyOf(SIZE));
  };
  const stored = (owner: string, keys: readonly string[]) =>
    keys.filter((key) => idempotency.has(caller(owner), key));
  return { idempotency, store, stored };
}

test("an owner who stores much evicts none of the replies of one who stores less", async () => {
  const { store, stored } = opened();
  const few = ["a", "b", "c"];
  for (const key of few) await store("olivia", key);
  const many = Array.from({ length: 100 }, (_, at) => String(at));
  for (const key of many) await store("oscar", key);
  expect(stored("olivia", few)).toEqual(few);
  expect(stored("oscar", many)).toEqual(many.slice(-7));
});

test("one owner alone may use all of the memory, of which others get their share later", async () => {
  const { store, stored } = opened();
  const many = Array.from({ length: 20 }, (_, at) => String(at));
  for (const key of many) await store("oscar", key);
  expect(stored("oscar", many)).toEqual(many.slice(-10));
  for (const key of many) await store("olivia", key);
  expect([stored("oscar", many).length, stored("olivia", many).length]).toEqual([5, 5]);
});

test("an end that is reported twice does not end a later request with the same key", async () => {
  const idempotency = createIdempotency(new FakeClock());
  const first = await idempotency.begin(caller("olivia"), "a", "digest");
  if (first.kind === "repeat") throw new Error("the key is not new");
  first.discard();
  await idempotency.begin(caller("olivia"), "a", "digest");
  first.discard();
  expect((await idempotency.begin(caller("olivia"), "a", "digest")).kind).toBe("repeat");
});
