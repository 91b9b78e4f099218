import { describe, expect, test } from "vitest";
import { BufferedReplies } from "@/lib/gateway/speech/buffered-replies";

/** Reserves the maximum of one reply: 64 MiB. */
const HOUR = 3_600;
const refusedWith = (code: string) => expect.objectContaining({ code, details: { retryAfterMs: 1_000 } });

test("limits the buffered replies of one owner to half of the memory", () => {
  const replies = new BufferedReplies();
  const enter = (owner: string) => replies.enter(owner, HOUR);
  const [first] = Array.from({ length: 4 }, () => enter("olivia"));
  expect(() => enter("olivia")).toThrow(refusedWith("rate_limited"));
  for (let reply = 0; reply < 4; reply++) enter("oscar");
  expect(() => enter("thea")).toThrow(refusedWith("overloaded"));
  first?.release();
  expect(() => enter("oscar")).toThrow(refusedWith("rate_limited"));
  enter("olivia");
});

test("returns the audio as it was appended, and counts its memory", () => {
  const replies = new BufferedReplies();
  const sizes = [24_000, 3, 40_000, 9_000, 100, 47_950, 100, 8_192, 65_536, 1];
  const whole = Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at + 1)));
  const speech = replies.enter("olivia", 0);
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
  const others = Array.from({ length: 3 }, () => replies.enter("olivia", HOUR));
  expect(() => replies.enter("olivia", HOUR)).toThrow(refusedWith("rate_limited"));
  speech.release();
  others[0]?.release();
  replies.enter("olivia", HOUR);
});

/** A second of audio, the unit in which replies are counted. */
const SECOND = new Uint8Array(48_000);

test("counts a reply as it grows beyond its estimate, and refuses it beyond a limit", () => {
  const replies = new BufferedReplies(10 * SECOND.length);
  const first = replies.enter("olivia", 1);
  const second = replies.enter("oscar", 1);
  for (let seconds = 0; seconds < 5; seconds++) first.append(SECOND);
  expect(replies.bytes).toBe(6 * SECOND.length);
  expect(() => first.append(SECOND)).not.toThrow();
  expect(replies.bytes).toBe(7 * SECOND.length);
  for (let seconds = 0; seconds < 4; seconds++) second.append(SECOND);
  expect(() => second.append(SECOND)).toThrow(refusedWith("overloaded"));
  expect(replies.bytes).toBe(10 * SECOND.length);
  for (const reply of [first, second]) reply.release();
  expect(replies.bytes).toBe(0);
});

test("limits the growth of one owner's replies to half of the memory", () => {
  const replies = new BufferedReplies(10 * SECOND.length);
  const first = replies.enter("olivia", 2);
  replies.enter("olivia", 2);
  for (let seconds = 0; seconds < 3; seconds++) first.append(SECOND);
  expect(() => first.append(SECOND)).toThrow(refusedWith("rate_limited"));
});

describe("the copy of a reply", () => {
  const MAX = 8 * 1024 * 1024;

  test("is counted until it is taken or released", () => {
    const replies = new BufferedReplies();
    const [taken, released] = [replies.copy("olivia", MAX), replies.copy("olivia", MAX)];
    for (const copy of [taken, released]) copy.add(SECOND);
    expect(replies.bytes).toBeGreaterThan(2 * SECOND.length);
    expect(taken.take()).toEqual([SECOND]);
    released.release();
    released.add(SECOND);
    expect(released.take()).toBeNull();
    expect(replies.bytes).toBe(0);
  });

  test("is dropped when it is too long", () => {
    const replies = new BufferedReplies();
    const copy = replies.copy("olivia", 2 * SECOND.length);
    copy.add(SECOND);
    copy.add(SECOND);
    copy.add(new Uint8Array(1));
    expect(replies.bytes).toBe(0);
    expect(copy.take()).toBeNull();
  });

  test("is dropped at half of each limit, so that the other half is free for whole replies", () => {
    const replies = new BufferedReplies(16 * SECOND.length);
    const copies = ["olivia", "olivia", "oscar", "thea"].map((owner) => replies.copy(owner, MAX));
    const [first, second, third, fourth] = copies;
    for (let seconds = 0; seconds < 2; seconds++) for (const copy of copies) copy.add(SECOND);
    // Four seconds for an owner, eight for all, less the overhead of the chunks.
    expect(second?.take()).toBeNull();
    expect([first, third].map((copy) => copy?.take()?.length)).toEqual([2, 2]);
    expect(fourth?.take()).toHaveLength(2);
    const others = ["a", "b", "c"].map((owner) => replies.copy(owner, MAX));
    for (let seconds = 0; seconds < 3; seconds++) for (const copy of others) copy.add(SECOND);
    expect(others.map((copy) => copy.take()?.length ?? null)).toEqual([3, null, 3]);
    const held = replies.copy("olivia", MAX);
    for (let seconds = 0; seconds < 3; seconds++) held.add(SECOND);
    expect(() => replies.enter("olivia", 4)).not.toThrow();
  });

  test("counts the overhead of tiny chunks", () => {
    const replies = new BufferedReplies(4 * SECOND.length);
    const copy = replies.copy("olivia", MAX);
    replies.enter("oscar", 0).append(new Uint8Array(1));
    for (let chunk = 0; chunk < 300; chunk++) copy.add(new Uint8Array(1));
    expect(copy.take()).toBeNull();
  });
});
