import { afterAll, beforeAll, expect, test } from "vitest";
import { type BalancedInstances, startBalanced } from "../support/balanced";
import { buildPrevious, findPrevious, type PreviousBuild } from "../support/previous-build";
import { loadBySdks } from "../support/sdk-load";

/** An upgrade under load: two instances of the previous version, replaced one by one, on one PostgreSQL and one Redis. */

/** Time in which both versions serve; the soak run sets a minute. */
const BOTH_MS = Number(process.env.PATCHBAY_TEST_UPGRADE_SECONDS ?? 15) * 1_000;
const ALONE_MS = 3_000;
/** Low, because this test checks versions, not load. */
const PER_SECOND = 40;

const commit = findPrevious();
let previous: PreviousBuild;
let all: BalancedInstances;
beforeAll(async () => {
  previous = buildPrevious(commit);
  all = await startBalanced({ count: 2, root: previous.root });
}, 180_000);
afterAll(async () => {
  await all?.close();
  previous?.remove();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends calls for `ms`, and until each instance has answered: nginx sends requests to an instance that was down only
 * after a while. Returns the number of calls that each has answered.
 */
async function answeredBy(ms: number): Promise<number[]> {
  const before = all.nginx.answered().length;
  const count = () => {
    const answered = all.nginx.answered().slice(before);
    return all.instances.map(({ port }) => answered.filter((one) => one.port === port).length);
  };
  await pause(ms);
  await expect.poll(() => Math.min(...count()), { timeout: 20_000, interval: 200 }).toBeGreaterThan(0);
  return count();
}

test(`no call of an SDK fails while instances of ${commit ?? "an equal build (there is no older commit here)"} are replaced by this version, and the ledger has each once`, async () => {
  const before = all.nginx.answered().length;
  const calls = loadBySdks(all.url, all.key, PER_SECOND);
  const served: Record<string, number[]> = {};
  served.previous = await answeredBy(ALONE_MS);
  expect(await all.instances[0]?.close()).toBe(0);
  await all.start(0);
  served.both = await answeredBy(BOTH_MS);
  expect(await all.instances[1]?.close()).toBe(0);
  await all.start(1);
  served.current = await answeredBy(ALONE_MS);
  const { received, failed } = await calls.stop();
  const repeated = all.nginx
    .answered()
    .slice(before)
    .filter(({ status }) => status !== 200);
  console.log(`${received.length} calls, ${repeated.length} repeated by the SDKs; ${JSON.stringify(served)}`);
  expect(failed).toEqual([]);
  expect(repeated.length).toBeLessThan(received.length / 100);
  await all.expectCompleteLedger(received);
}, 180_000);
