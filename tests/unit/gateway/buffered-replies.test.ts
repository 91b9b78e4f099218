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

test("returns the audio as it was appended, and counts the memory that it holds", () => {
  const space = new BufferedReplies();
  const sizes = [24_000, 3, 40_000, 9_000, 100, 47_950, 100, 8_192, 65_536, 1];
  const whole = Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at + 1)));
  const speech = space.enter(services, "olivia", 0);
  for (const isView of [false, true]) {
    let at = 0;
    for (const size of sizes) {
      const piece = whole.subarray(at, at + size);
      speech.append(isView ? piece : Uint8Array.from(piece));
      at += size;
    }
    expect(speech.bytes).toBe(whole.length);
    const blocks: Uint8Array[] = [];
    for (let block = speech.take(); block !== null; block = speech.take()) blocks.push(block);
    expect(Buffer.concat(blocks).equals(whole)).toBe(true);
    speech.clear();
  }
  // A view of a large buffer is copied, because it would keep all of it.
  const large = new Uint8Array(64 * 1024 * 1024);
  for (let piece = 0; piece < 20; piece++) speech.append(large.subarray(0, 10_000));
  const others = Array.from({ length: 3 }, () => space.enter(services, "olivia", HOUR));
  expect(() => space.enter(services, "olivia", HOUR)).toThrow(refusedWith("rate_limited"));
  speech.release();
  others[0]?.release();
  space.enter(services, "olivia", HOUR);
});
