import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { createVoiceLists, type ListedVoice, listOptions } from "@/lib/providers/upstream-voices/voice-list";
import { FakeClock } from "../../support/factories";

const VOICE: ListedVoice = {
  id: "af_kore",
  name: "af_kore",
  languages: ["en-US"],
  gender: "female",
  description: "",
  family: "engine",
};

function open() {
  const clock = new FakeClock();
  return { lists: createVoiceLists(clock), advance: (ms: number) => clock.advance(ms) };
}

const never = () => new Promise<never>(() => undefined);
const failing = () => Promise.reject(new Error("It failed."));

test("waits for the first list, but not for a second attempt after a failure", async () => {
  const { lists, advance } = open();
  expect(await lists.get("a", failing)).toBeNull();
  advance(60_001);
  // An upstream that never answers would otherwise delay every speech call.
  expect(await lists.get("a", never)).toBeNull();
  const other = open().lists;
  expect(await other.get("a", async () => [VOICE])).toEqual([VOICE]);
});

test("requests the list of a recovered upstream after the interval, and then uses it", async () => {
  const { lists, advance } = open();
  await lists.get("a", failing);
  expect(await lists.get("a", async () => [VOICE])).toBeNull();
  advance(60_001);
  await lists.get("a", async () => [VOICE]);
  await Promise.resolve();
  expect(await lists.get("a", never)).toEqual([VOICE]);
});

test("requests a failed list again on demand, but not a received one", async () => {
  const { lists } = open();
  let requests = 0;
  const fetchList = async () => {
    requests += 1;
    return [VOICE];
  };
  await lists.get("a", failing);
  await Promise.all([lists.retry("a", fetchList), lists.retry("a", fetchList)]);
  expect(lists.peek("a")).toEqual([VOICE]);
  await lists.retry("a", fetchList);
  expect(requests).toBe(1);
  await lists.get("b", async () => null);
  await lists.retry("b", fetchList);
  expect(lists.peek("b")).toBeNull();
});

test("requests a failing list at most every five seconds on demand, and never requests a missing list again", async () => {
  const { lists, advance } = open();
  let requests = 0;
  const failAgain = () => {
    requests += 1;
    return failing();
  };
  await lists.get("a", failing);
  for (const [afterMs, expected] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
    [0, 2],
  ] as const) {
    advance(afterMs);
    await lists.retry("a", failAgain);
    expect(requests).toBe(expected);
  }
  const missing = new AppError("upstream_error", "Not Found", { upstreamStatus: 404 });
  await lists.get("b", () => Promise.reject(missing));
  await lists.retry("b", failAgain);
  expect(requests).toBe(2);
});

test("uses the old list while a new list is fetched, and keeps the old list when the fetch fails", async () => {
  const { lists, advance } = open();
  await lists.get("a", async () => [VOICE]);
  advance(300_001);
  expect(await lists.get("a", failing)).toEqual([VOICE]);
  advance(60_001);
  expect(await lists.get("a", never)).toEqual([VOICE]);
});

test("keeps no list of more than 5,000 voices: the channel accepts any name, as without a list", async () => {
  const list = (count: number) => async () =>
    Array.from(
      { length: count },
      (_, i): ListedVoice => ({ ...VOICE, id: `voice-${i}`, name: `voice-${i}` }),
    );
  const { lists } = open();
  expect(await lists.get("a", list(5_000))).toHaveLength(5_000);
  expect(await lists.get("b", list(5_001))).toBeNull();
  expect(lists.peek("b")).toBeNull();
});

test.each([
  ["at most two seconds", 60_000, 2_000],
  ["half of a short limit for the first byte", 1_000, 500],
  ["half of an odd limit, in whole milliseconds", 1_001, 500],
])("a list may take %s", (_limit, speechFirstByteMs, ms) => {
  const clock = new FakeClock();
  const { firstByteBy } = listOptions({ clock, limits: { speechFirstByteMs } });
  expect(firstByteBy - clock.monotonic()).toBe(ms);
});
