import { afterEach, expect, test, vi } from "vitest";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { SemanticPool, type SemanticPoolOptions } from "@/lib/providers/semantic/pool";
import { DIMENSIONS, type Segment } from "@/lib/providers/semantic/protocol";

/**
 * A fake of the bundled semantic worker: the vector of a segment is filled with its first ID, and its second number
 * is the batch's size. The ID 7 ends the thread, 8 never gets an answer, 9 an error.
 */
const FAKE_WORKER = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, segments }) => {
      const ids = segments.map((segment) => segment.ids[0]);
      if (ids.includes(7)) process.exit(1);
      if (ids.includes(8)) return;
      if (ids.includes(9)) {
        parentPort.postMessage({ id, error: { code: "upstream_error", message: "It failed.", cause: "x" } });
        return;
      }
      const vectors = new Float32Array(segments.length * ${DIMENSIONS});
      ids.forEach((first, row) => {
        vectors.fill(first, row * ${DIMENSIONS}, (row + 1) * ${DIMENSIONS});
        vectors[row * ${DIMENSIONS} + 1] = segments.length;
      });
      const notEnglish = segments.flatMap(({ opening }, at) => (opening === "fremd" ? [at] : []));
      setTimeout(() => parentPort.postMessage({ id, vectors, notEnglish }), 20);
    });
  `)}`,
);

const pools: SemanticPool[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function openPool(options: Partial<SemanticPoolOptions> = {}): SemanticPool {
  const pool = new SemanticPool({
    workerFile: FAKE_WORKER,
    modelFolder: "",
    maxWorkers: 1,
    idleMs: 50_000,
    batchTimeoutMs: 20_000,
    maxOpen: 100,
    now: () => 0,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const segment = (first: number, length = 10, opening = ""): Segment => ({
  ids: [first, ...new Array<number>(length - 1).fill(100)],
  opening,
});
const segments = (firsts: readonly number[], length?: number) =>
  firsts.map((first) => segment(first, length));
const many = (count: number, length?: number) => segments(new Array<number>(count).fill(50), length);
const limits = (signal = new AbortController().signal, firstByteBy = Number.POSITIVE_INFINITY) => ({
  signal,
  firstByteBy,
});

test("batches the calls of one turn, and those that wait for the worker", async () => {
  const pool = openPool();
  const first = [1, 2, 3].map((id) => pool.embed([segment(id)], limits()));
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  const later = [4, 5].map((id) => pool.embed([segment(id)], limits()));
  const results = await Promise.all([...first, ...later]);
  expect(results.map(({ vectors }) => vectors[0]?.[0])).toEqual([1, 2, 3, 4, 5]);
  expect(results.map(({ vectors }) => vectors[0]?.[1])).toEqual([3, 3, 3, 2, 2]);
  expect(pool.stats()).toMatchObject({ workers: 1, busy: 0, open: 0, waiting: 0, batches: 2 });
});

test("returns a large call's vectors in order, and serves a small call before it ends", async () => {
  const pool = openPool();
  const firsts = Array.from({ length: 1_000 }, (_, at) => at + 10);
  const order: string[] = [];
  const large = pool.embed(segments(firsts), limits()).then((result) => {
    order.push("large");
    return result;
  });
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  await pool.embed([segment(3)], limits()).then(() => order.push("small"));
  expect((await large).vectors.map((vector) => vector[0])).toEqual(firsts);
  expect(order).toEqual(["small", "large"]);
});

test("limits a batch to about 512 tokens and to 64 segments", async () => {
  const pool = openPool();
  const long = await pool.embed(many(20, 128), limits());
  expect(long.vectors.map((vector) => vector[1])).toEqual(new Array(20).fill(4));
  const short = await pool.embed(many(200, 2), limits());
  expect(Math.max(...short.vectors.map((vector) => vector[1] ?? 0))).toBe(64);
});

test("starts a second worker only when a whole batch waits", async () => {
  const pool = openPool({ maxWorkers: 2 });
  const small = [1, 2, 3].map((id) => pool.embed([segment(id)], limits()));
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  small.push(pool.embed([segment(4)], limits()));
  await Promise.all(small);
  expect(pool.stats().workers).toBe(1);
  await pool.embed(many(200), limits());
  expect(pool.stats().workers).toBe(2);
});

test("returns the indexes of the segments that are not English", async () => {
  const pool = openPool();
  const mixed = [segment(1), segment(2, 10, "fremd"), segment(3)];
  expect((await pool.embed(mixed, limits())).notEnglish).toEqual([1]);
});

test("refuses more calls than it may have open, with the time to wait", async () => {
  const pool = openPool({ maxOpen: 1 });
  const open = pool.embed([segment(8)], limits());
  open.catch(() => undefined);
  await expect(pool.embed([segment(1)], limits())).rejects.toMatchObject({
    code: "overloaded",
    details: { retryAfterMs: 1_000 },
  });
});

test("refuses a call that cannot end before its deadline, behind others or alone", async () => {
  const pool = openPool();
  const waiting = pool.embed(many(1_000), limits());
  // 0.7 ms a token: 7 s wait.
  await expect(pool.embed([segment(1)], limits(undefined, 6_000))).rejects.toMatchObject({
    code: "overloaded",
    details: { retryAfterMs: 7_000 },
  });
  await waiting;
  const free = openPool();
  await expect(free.embed(many(1_000), limits(undefined, 6_000))).rejects.toMatchObject({
    code: "overloaded",
    message: expect.stringContaining("10000 tokens, about 7 s of work"),
    details: { shouldRetry: false },
  });
  expect(free.stats()).toMatchObject({ workers: 0, open: 0, waiting: 0 });
});

test("serves a call before its deadline beside 70 calls of another owner, whose own wait would be too long", async () => {
  const pool = openPool();
  const order: string[] = [];
  const of = (ownerId: string, firstByteBy: number) =>
    pool
      .embed([segment(1, 128)], { ...limits(undefined, firstByteBy), ownerId })
      .then(() => order.push(ownerId));
  const all = Array.from({ length: 70 }, () => of("usr_a", Number.POSITIVE_INFINITY));
  // 0.7 ms a token: 6 s wait.
  await expect(of("usr_a", 1_000)).rejects.toMatchObject({ code: "overloaded" });
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  all.push(of("usr_b", 1_000));
  await Promise.all(all);
  expect(order.indexOf("usr_b")).toBeLessThan(10);
});

test("one owner has three quarters of the open calls at most", async () => {
  const pool = openPool({ maxOpen: 4 });
  const of = (ownerId: string) => pool.embed([segment(1)], { ...limits(), ownerId });
  const own = [of("usr_a"), of("usr_a"), of("usr_a")];
  await expect(of("usr_a")).rejects.toMatchObject({ code: "overloaded" });
  await of("usr_b");
  await Promise.all(own);
  await of("usr_a");
});

test("drops the waiting segments of a caller who leaves, and embeds the others", async () => {
  const pool = openPool();
  const leaving = new AbortController();
  const left = pool.embed(many(1_000), limits(leaving.signal));
  const stays = pool.embed([segment(5)], limits());
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: "caller_left" });
  expect(pool.stats().waiting).toBe(0);
  expect((await stays).vectors[0]?.[0]).toBe(5);
  expect(pool.stats().batches).toBe(1);
  await expect(pool.embed([segment(1)], limits(AbortSignal.abort()))).rejects.toMatchObject({
    code: "caller_left",
  });
});

test.each([
  [7, { code: "upstream_error", message: "The built-in embedding engine failed." }],
  [9, { code: "upstream_error", message: "It failed." }],
])("fails the calls of a batch whose worker failed (%s), and continues with a new one", async (id, error) => {
  const pool = openPool();
  await expect(pool.embed([segment(id)], limits())).rejects.toMatchObject(error);
  expect((await pool.embed([segment(2)], limits())).vectors[0]?.[0]).toBe(2);
});

test("the crash of a worker is one failure for the circuit, however many calls its batch had", async () => {
  const pool = openPool();
  const progresses = [1, 7, 2].map(() => new UpstreamProgress());
  const calls = [1, 7, 2].map((id, at) =>
    pool.embed([segment(id)], { ...limits(), progress: progresses[at] }),
  );
  await Promise.allSettled(calls);
  const [batch] = progresses.map((progress) => progress.batch);
  expect(batch?.hasHead).toBe(true);
  for (const progress of progresses) expect(progress.batch).toBe(batch);
});

test("stops a worker that does not answer", async () => {
  const pool = openPool({ batchTimeoutMs: 50 });
  await expect(pool.embed([segment(8)], limits())).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(pool.stats()).toMatchObject({ workers: 0, crashes: 1 });
});

test("stops an idle worker, and starts one for the next call", async () => {
  const pool = openPool({ idleMs: 30 });
  await pool.embed([segment(1)], limits());
  expect(pool.stats().workers).toBe(1);
  await vi.waitFor(() => expect(pool.stats().workers).toBe(0));
  expect((await pool.embed([segment(2)], limits())).vectors[0]?.[0]).toBe(2);
});

test("fails running calls when it closes", async () => {
  const pool = openPool();
  const work = pool.embed([segment(8)], limits());
  const failed = expect(work).rejects.toMatchObject({ code: "overloaded" });
  await vi.waitFor(() => expect(pool.stats().busy).toBe(1), { interval: 1 });
  await pool.close();
  await failed;
  await expect(pool.embed([segment(1)], limits())).rejects.toMatchObject({ code: "overloaded" });
});
