import { SPEECH_BYTES_PER_SECOND, SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { freeBytes } from "./free-bytes";

/** Audio held for all readers together before stalled ones release theirs: 32 KB for each of 500 readers. */
const BUFFER_BYTES = 16 * 1024 * 1024;
/** What a stalled reader keeps of its audio: half a second, which lasts nearly half a minute at 1 KB/s. */
export const KEPT_BYTES = SPEECH_BYTES_PER_SECOND / 2;
/** A reader is stalled when it has not read for this long. */
const STALLED_MS = 1000;
/** Length of the quietest section of the kept part's last half, at which the part ends: 10 ms. */
const QUIET_BYTES = SPEECH_BYTES_PER_SECOND / 100;
/** Audio that was read is freed in blocks of this size: a second of sound. */
const READ_BYTES = SPEECH_BYTES_PER_SECOND;
const FADE_SAMPLES = SPEECH_SAMPLE_RATE / 200;

/** One chunk of speech that is being read, or is next. */
export class HeldAudio {
  #pcm: Uint8Array;
  /** Offset of `#pcm` in the whole chunk, and the chunk's length. */
  #start: number;
  readonly #total: number;
  #at = 0;
  /** False while the previous chunk is being read: all of this chunk can then be released. */
  isBeingRead = false;
  takenAt: number;

  /** `start`: bytes of `pcm` that were read before the chunk was released and generated again. */
  constructor(pcm: Uint8Array, start: number, now: number) {
    this.#total = pcm.length;
    this.#start = Math.min(start, pcm.length);
    this.#pcm = pcm;
    if (start > 0) fade(this.#keep(start), "in");
    this.takenAt = now;
  }

  /** Bytes available to be read. */
  get bytes(): number {
    return this.#pcm.length - this.#at;
  }

  /** Bytes of memory, including those that were read and not freed yet. */
  get memory(): number {
    return this.#pcm.length;
  }

  /** Bytes of the chunk that are still to be read, whether held or released. */
  get left(): number {
    return this.#total - this.#start - this.#at;
  }

  /**
   * The byte from which the chunk must be generated again; null while audio is held, and when nothing is left to read.
   */
  get resumeAt(): number | null {
    return this.bytes === 0 && this.left > 0 ? this.#start + this.#at : null;
  }

  /**
   * A copy of the next `length` bytes at most, so that no reference keeps the chunk's memory alive; empty when nothing
   * is held.
   */
  take(length: number, now: number): Uint8Array {
    const piece = this.#pcm.slice(this.#at, this.#at + length);
    this.#at += piece.length;
    this.takenAt = now;
    if (this.bytes === 0 || this.#at >= READ_BYTES) this.#release();
    return piece;
  }

  /** Releases all but about half a second, or everything if the chunk is not being read yet. */
  shorten(): void {
    const kept = this.isBeingRead ? KEPT_BYTES : 0;
    if (this.#at > 0) this.#release();
    if (this.bytes <= kept * 1.5) return;
    fade(this.#keep(0, quietest(this.#pcm, kept / 2, kept)), "out");
  }

  /** Frees all memory; nothing can be read afterwards. */
  drop(): void {
    this.#keep(this.#pcm.length);
    this.#at = 0;
  }

  /** Frees the bytes that were read. */
  #release(): void {
    this.#start += this.#at;
    this.#keep(this.#at);
    this.#at = 0;
  }

  /** Copies one part and frees the whole. */
  #keep(from: number, to?: number): Uint8Array {
    const whole = this.#pcm;
    this.#pcm = whole.slice(from, to);
    freeBytes(whole);
    return this.#pcm;
  }
}

/** All audio that was generated and not read yet, over all readers of one engine. */
export class AudioBuffers {
  readonly #held = new Set<HeldAudio>();
  readonly #maxBytes: number;

  constructor(maxBytes = BUFFER_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of memory, over all readers. */
  get bytes(): number {
    let sum = 0;
    for (const held of this.#held) sum += held.memory;
    return sum;
  }

  /** True while more is held than the limit; chunks are short then and none is generated ahead. */
  isTight(): boolean {
    return this.bytes > this.#maxBytes;
  }

  add(held: HeldAudio, now: number): void {
    this.#held.add(held);
    if (!this.isTight()) return;
    for (const other of this.#held) if (now - other.takenAt > STALLED_MS) other.shorten();
  }

  /** Removes and frees audio that will not be read. */
  remove(held: HeldAudio): void {
    this.#held.delete(held);
    held.drop();
  }
}

/** The even offset in [from, to) where 10 ms of sound are quietest. */
function quietest(pcm: Uint8Array, from: number, to: number): number {
  let best = to & ~1;
  let least = Number.POSITIVE_INFINITY;
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  for (let start = from & ~1; start + QUIET_BYTES <= to; start += QUIET_BYTES) {
    let sum = 0;
    for (let at = start; at < start + QUIET_BYTES; at += 2) sum += Math.abs(view.getInt16(at, true));
    if (sum < least) {
      least = sum;
      best = start + QUIET_BYTES / 2;
    }
  }
  return best & ~1;
}

/**
 * Fades one end over 5 ms to avoid a click: a chunk that is generated twice does not have the same wave both times
 * (espeak-ng's voice varies randomly).
 */
function fade(pcm: Uint8Array, way: "in" | "out"): Uint8Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const samples = pcm.length >> 1;
  for (let i = 0; i < Math.min(FADE_SAMPLES, samples); i++) {
    const at = 2 * (way === "in" ? i : samples - 1 - i);
    view.setInt16(at, Math.round((view.getInt16(at, true) * i) / FADE_SAMPLES), true);
  }
  return pcm;
}
