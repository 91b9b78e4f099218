import { describe, expect, test } from "vitest";
import { HOUR_MS } from "@/lib/contracts/durations";
import { createIdempotency } from "@/lib/gateway/idempotency";
import { FakeClock } from "../../support/factories";

const caller = (owner: string) => ({ key: { id: `key of ${owner}` }, owner: { id: owner } });
const replyOf = (bytes: number) => ({ status: 200, headers: {}, body: new Uint8Array(bytes), row: null });

/** The memory is enough for ten replies of this size. */
const SIZE = 10_000;
const MEMORY = 10 * (SIZE + 1_000);

function opened() {
  const clock = new FakeClock();
  const idempotency = createIdempotency(clock, MEMORY);
  const store = async (owner: string, key: string) => {
    const start = await idempotency.begin(caller(owner), key, "digest");
    if (start.kind === "first") start.store(replyOf(SIZE));
  };
  const stored = (owner: string, keys: readonly string[]) =>
    keys.filter((key) => idempotency.has(caller(owner), key));
  return { clock, store, stored };
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

test("one owner may use all of the memory until another owner needs a share", async () => {
  const { store, stored } = opened();
  const many = Array.from({ length: 20 }, (_, at) => String(at));
  for (const key of many) await store("oscar", key);
  expect(stored("oscar", many)).toEqual(many.slice(-10));
  for (const key of many) await store("olivia", key);
  expect([stored("oscar", many).length, stored("olivia", many).length]).toEqual([5, 5]);
});

test("a reply that has expired takes no memory from the replies of others", async () => {
  const { clock, store, stored } = opened();
  for (const key of ["a", "b", "c", "d", "e"]) await store("olivia", key);
  clock.advance(12 * HOUR_MS);
  await store("olivia", "later");
  clock.advance(12 * HOUR_MS + 1);
  expect(stored("olivia", ["a", "later"])).toEqual(["later"]);
  const many = Array.from({ length: 9 }, (_, at) => String(at));
  for (const key of many) await store("oscar", key);
  expect(stored("oscar", many)).toEqual(many);
});

test("a request whose end is reported twice does not end a later request with the same key", async () => {
  const idempotency = createIdempotency(new FakeClock());
  const first = await idempotency.begin(caller("olivia"), "a", "digest");
  if (first.kind === "repeat") throw new Error("the key is not new");
  first.discard();
  await idempotency.begin(caller("olivia"), "a", "digest");
  first.discard();
  expect((await idempotency.begin(caller("olivia"), "a", "digest")).kind).toBe("repeat");
});

test("stores the reply of a request that this process runs, here and for the other processes", async () => {
  const idempotency = createIdempotency(new FakeClock());
  const sent: string[] = [];
  idempotency.share({
    claim: async () => (sent.length === 0 ? "claimed" : "elsewhere"),
    has: async () => true,
    wait: async () => null,
    store: (_ownerId, _name, _digest, reply) => void sent.push(reply),
    discard: () => undefined,
  });
  const begin = () => idempotency.begin(caller("olivia"), "a", "digest");
  const first = await begin();
  if (first.kind === "repeat") throw new Error("the key is not new");
  const waiting = await begin();
  first.store(replyOf(3));
  for (const start of [waiting, await begin()])
    expect(start.kind === "repeat" && (await start.reply)).toMatchObject({ status: 200 });
  expect(sent).toHaveLength(1);
});

describe("a request that another process runs", () => {
  /** Another process has claimed every request, and ends with this reply or without one. */
  function openShared(answer: string | null) {
    const idempotency = createIdempotency(new FakeClock());
    let waits = 0;
    const wait = async () => {
      waits += 1;
      return answer;
    };
    const end = () => undefined;
    idempotency.share({
      claim: async () => "elsewhere",
      has: async () => true,
      wait,
      store: end,
      discard: end,
    });
    const begin = () => idempotency.begin(caller("olivia"), "a", "digest");
    return { begin, waits: () => waits };
  }

  test("is answered with that process's reply, which is stored here for the next repeat", async () => {
    const { begin, waits } = openShared(
      JSON.stringify({ status: 200, headers: {}, body: Buffer.from("text").toString("base64"), row: null }),
    );
    for (const _ of ["first", "next"]) {
      const start = await begin();
      if (start.kind !== "repeat") throw new Error("the request is not a repeat");
      const reply = await start.reply;
      expect(Buffer.from(reply?.body ?? []).toString()).toBe("text");
    }
    expect(waits()).toBe(1);
  });

  test("stores nothing here when it ends without a reply", async () => {
    const { begin, waits } = openShared(null);
    for (const _ of ["first", "next"]) {
      const start = await begin();
      expect(start.kind === "repeat" && (await start.reply)).toBe(null);
    }
    expect(waits()).toBe(2);
  });
});
