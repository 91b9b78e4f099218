import { expect, test } from "vitest";
import { HeldReplies } from "@/lib/gateway/speech/held-replies";

const services = { metrics: { observeCall: () => undefined, count: () => undefined } };
/** Takes the most that one reply may: 64 MiB. */
const HOUR = 3_600;
const refusedWith = (code: string) => expect.objectContaining({ code, details: { retryAfterMs: 1_000 } });

test("whole replies of one owner take half of the room at most, and leave the rest to other owners", () => {
  const space = new HeldReplies();
  const enter = (owner: string) => space.enter(services, owner, HOUR);
  const [first] = Array.from({ length: 4 }, () => enter("olivia"));
  expect(() => enter("olivia")).toThrow(refusedWith("rate_limited"));
  for (let reply = 0; reply < 4; reply++) enter("oscar");
  expect(() => enter("thea")).toThrow(refusedWith("overloaded"));
  first?.release();
  expect(() => enter("oscar")).toThrow(refusedWith("rate_limited"));
  enter("olivia");
});
