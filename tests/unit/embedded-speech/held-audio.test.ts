import { describe, expect, it } from "vitest";
import { AudioBuffers, HeldAudio, KEPT_BYTES } from "../../../lib/providers/embedded-speech/held-audio";

const CHUNK = 4 * KEPT_BYTES;

/** A chunk of sound whose samples count upwards, in its own memory. */
function makeSound(): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: CHUNK / 2 }, (_, i) => i).buffer);
}

describe("audio that is held for a reader", () => {
  it("frees the whole buffer when only a part is kept, and resumes where the part ends", () => {
    const sound = makeSound();
    const first = new HeldAudio(sound, 0, 0);
    first.isBeingRead = true;
    const read = first.take(1_000, 0);
    first.shorten();
    expect(sound.buffer.byteLength).toBe(0);
    expect(first.memory).toBeLessThanOrEqual(KEPT_BYTES);
    const kept = first.take(CHUNK, 0);
    const resumeAt = first.resumeAt ?? -1;
    expect(resumeAt).toBe(read.length + kept.length);

    const again = makeSound();
    const rest = new HeldAudio(again, resumeAt, 0);
    expect(again.buffer.byteLength).toBe(0);
    const resumed = rest.take(CHUNK, 0);
    expect(resumed).toHaveLength(CHUNK - resumeAt);
    expect(rest.resumeAt).toBeNull();
    // Both ends are faded: a chunk generated again is not the same wave.
    expect([Buffer.from(kept).readInt16LE(kept.length - 2), Buffer.from(resumed).readInt16LE(0)]).toEqual([
      0, 0,
    ]);
    // Returned audio is a copy: freeing the buffer does not detach it.
    expect([read.length, kept.length > 0]).toEqual([1_000, true]);
  });

  it("frees audio that will not be read", () => {
    const sound = makeSound();
    const held = new HeldAudio(sound, 0, 0);
    const buffers = new AudioBuffers();
    buffers.add(held, 0);
    buffers.remove(held);
    expect([sound.buffer.byteLength, held.memory, buffers.bytes]).toEqual([0, 0, 0]);
  });
});
