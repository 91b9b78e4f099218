import { expect, test } from "vitest";
import { BufferedReplies } from "@/lib/gateway/speech/buffered-replies";

const services = { metrics: { observeCall: () => undefined, count: () => undefined } };
/** Reserves the maximum of one reply: 64 MiB. */
const HOUR = 3_600;
const refusedWith = (code: string) => expect.objectContaining({ code, details: { retryAfterMs: 1_000 } });

test("limits the buffered replies of one owner to half of the memory", () => {
  const space = new BufferedReplies();
  const enter = (owner: string) => space.enter(services, owner, HOUR);
  const [first] = Array.from({ length: 4 }, () => enter("olivia"));
  expect(() => enter("olivia")).toThrow(refusedWith("rate_limited"));
  for (let reply = 0; reply < 4; reply++) enter("oscar");
  expect(() => enter("thea")).toThrow(refusedWith("overloaded"));
  first?.release();
  expect(() => enter("oscar")).toThrow(refusedWith("rate_limited"));
  enter("olivia");
});
