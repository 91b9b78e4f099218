import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { freeBytes } from "./free-bytes";

const BYTES_PER_SECOND = SPEECH_SAMPLE_RATE * 2;
/** Audio held for all readers together before stalled ones give theirs back: 32 KB for each of 500 readers. */
export const BACKLOG_BYTES = 16 * 1024 * 1024;
/** What a stalled reader keeps then: half a second, or nearly half a minute at 1 KB/s. */
export const KEPT_BYTES = BYTES_PER_SECOND / 2;
/** A reader that has not come back for so long is stalled. */
const STALLED_MS = 1000;
/** The kept part ends at the quietest place of its last half. */
const QUIET_BYTES = BYTES_PER_SECOND / 100;
/** What was read is given back when it is so much: a second of sound. */
const READ_BYTES = BYTES_PER_SECOND;
const FADE_SAMPLES = SPEECH_SAMPLE_RATE / 200;

/** One chunk of speech that is being read, or is next. */
export class HeldAudio {
  #pcm: Uint8Array;
  /** Where `#pcm` begins within the whole chunk, and how long that is. */
  #start: number;
  readonly #total: number;
  #at = 0;
  /** False while the chunk before it is being read: all of it can be given up then. */
  isBeingRead = false;
  takenAt: number;

  /** `start`: bytes of `pcm` that were read before it was given up and made again. */
  constructor(pcm: Uint8Array, start: number, now: number) {
    this.#total = pcm.length;
    this.#start = Math.min(start, pcm.length);
    this.#pcm = pcm;
    if (start > 0) fade(this.#keep(start), "in");
    this.takenAt = now;
  }

  /** Bytes that are there to be read. */
  get bytes(): number {
    return this.#pcm.length - this.#at;
  }

  /** Bytes of memory: those that were read and not given back yet, too. */
  get memory(): number {
    return this.#pcm.length;
  }

  /** Bytes of the chunk that are still to be read, whether held or given up. */
  get left(): number {
    return this.#total - this.#start - this.#at;
  }

  /** Where to go on when the chunk is made again; null while nothing was given up. */
  get resumeAt(): number | null {
    return this.bytes === 0 && this.left > 0 ? this.#start + this.#at : null;
  }

  /** A copy (nothing keeps the chunk's own memory alive) of the next `length` bytes at most; empty when nothing is held. */
  take(length: number, now: number): Uint8Array {
    const piece = this.#pcm.slice(this.#at, this.#at + length);
    this.#at += piece.length;
    this.takenAt = now;
    if (this.bytes === 0 || this.#at >= READ_BYTES) this.#release();
    return piece;
  }

  /** Gives up all but about half a second, or everything before it is read. */
  shorten(): void {
    const kept = this.isBeingRead ? KEPT_BYTES : 0;
    if (this.#at > 0) this.#release();
    if (this.bytes <= kept * 1.5) return;
    fade(this.#keep(0, quietest(this.#pcm, kept / 2, kept)), "out");
  }

  /** Gives back all memory; nothing is to be read afterwards. */
  drop(): void {
    this.#keep(this.#pcm.length);
    this.#at = 0;
  }

  /** Gives back what was read. */
  #release(): void {
    this.#start += this.#at;
    this.#keep(this.#at);
    this.#at = 0;
  }

  /** Holds on to a part alone, and frees the whole. */
  #keep(from: number, to?: number): Uint8Array {
    const whole = this.#pcm;
    this.#pcm = whole.slice(from, to);
    freeBytes(whole);
    return this.#pcm;
  }
}

/** All audio that was made and not read yet, over all readers of one engine. */
export class Backlog {
  readonly #held = new Set<HeldAudio>();
  readonly #most: number;

  constructor(most = BACKLOG_BYTES) {
    this.#most = most;
  }

  /** Of memory, over all readers. */
  get bytes(): number {
    let sum = 0;
    for (const held of this.#held) sum += held.memory;
    return sum;
  }

  /** True while more is held than there should be; chunks are short then and none is made ahead. */
  isTight(): boolean {
    return this.bytes > this.#most;
  }

  add(held: HeldAudio, now: number): void {
    this.#held.add(held);
    if (!this.isTight()) return;
    for (const other of this.#held) if (now - other.takenAt > STALLED_MS) other.shorten();
  }

  /** Forgets and frees what nobody will read. */
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

/** The two makings of a chunk are alike but not the same wave (espeak-ng's voice flutters by chance): no click between them. */
function fade(pcm: Uint8Array, way: "in" | "out"): Uint8Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const samples = pcm.length >> 1;
  for (let i = 0; i < Math.min(FADE_SAMPLES, samples); i++) {
    const at = 2 * (way === "in" ? i : samples - 1 - i);
    view.setInt16(at, Math.round((view.getInt16(at, true) * i) / FADE_SAMPLES), true);
  }
  return pcm;
}
