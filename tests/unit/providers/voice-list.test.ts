import { expect, test } from "vitest";
import { createVoiceLists, type ListedVoice } from "@/lib/providers/upstream-voices/voice-list";

const VOICE: ListedVoice = {
  id: "af_kore",
  name: "af_kore",
  languages: ["en-US"],
  gender: "female",
  description: "",
  family: "engine",
};

function open() {
  let at = 0;
  const clock = { now: () => at, monotonic: () => at };
  const pass = (ms: number): void => {
    at += ms;
  };
  return { lists: createVoiceLists(clock), pass };
}

const never = () => new Promise<never>(() => undefined);
const failing = () => Promise.reject(new Error("It failed."));

test("the first list is waited for; after a failure nobody waits for another try", async () => {
  const { lists, pass } = open();
  expect(await lists.get("a", failing)).toBeNull();
  pass(60_001);
  // An upstream that says nothing now would hold every speech call up here.
  expect(await lists.get("a", never)).toBeNull();
  const other = open().lists;
  expect(await other.get("a", async () => [VOICE])).toEqual([VOICE]);
});

test("an upstream that is well again is asked once its time has come, and its list serves from then on", async () => {
  const { lists, pass } = open();
  await lists.get("a", failing);
  expect(await lists.get("a", async () => [VOICE])).toBeNull();
  pass(60_001);
  await lists.get("a", async () => [VOICE]);
  await Promise.resolve();
  expect(await lists.get("a", never)).toEqual([VOICE]);
});

test("a list of before serves while a new one is fetched, and stays when that fails", async () => {
  const { lists, pass } = open();
  await lists.get("a", async () => [VOICE]);
  pass(300_001);
  expect(await lists.get("a", failing)).toEqual([VOICE]);
  pass(60_001);
  expect(await lists.get("a", never)).toEqual([VOICE]);
});
