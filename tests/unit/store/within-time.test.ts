import { expect, test } from "vitest";
import { withinTime } from "../../../lib/store/postgres/session";

const answerAfter = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve("answer"), ms));
const silence = () => new Promise<string>(() => undefined);

test("rejects when a server is silent, although it answered before", async () => {
  const answeredAt = performance.now() - 50;
  const since = performance.now();
  const limit = { silentMs: 150, maxMs: 5_000, answeredAt: () => answeredAt };
  await expect(withinTime(silence(), limit)).rejects.toThrow("timeout expired");
  expect(performance.now() - since).toBeLessThan(2_000);
});

test("waits for a slow server that answers others, up to a limit", async () => {
  const limit = { silentMs: 100, maxMs: 600, answeredAt: () => performance.now() };
  expect(await withinTime(answerAfter(350), limit)).toBe("answer");
  await expect(withinTime(silence(), limit)).rejects.toThrow("timeout expired");
});

test("does not count the time in which this process could not read an answer", async () => {
  // The answer takes 450 ms, of which the process is stalled for 400.
  const waiting = withinTime(answerAfter(450), 250);
  const until = performance.now() + 400;
  while (performance.now() < until);
  expect(await waiting).toBe("answer");
});

test("passes a late result to its handler", async () => {
  const late = await new Promise((resolve) => {
    withinTime(answerAfter(300), 50, resolve).catch(() => undefined);
  });
  expect(late).toBe("answer");
});
