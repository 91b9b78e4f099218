import { SAMPLE_RATE } from "./speech-pcm";

/** Seconds of sound handed to the audio clock in advance: more than a background tab's timer sleeps. */
const AHEAD = 3;
/** Seconds that must be there before the sound starts, or starts again after the stream fell behind. */
const LEAD = 0.12;
const LONGEST_PIECE = SAMPLE_RATE / 2;
const PUMP_MS = 200;

/** From this moment of the audio clock on, this sample and those after it are heard. */
interface Segment {
  at: number;
  sample: number;
}

/**
 * Plays samples while they arrive: each piece is started on the audio clock exactly where the one before ends, so
 * nothing clicks between them. When the stream falls behind, the sound waits and goes on.
 */
export class SpeechStreamPlayer {
  readonly #context: AudioContext;
  readonly #gain: GainNode;
  readonly #onEnded: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #chunks: Int16Array<ArrayBuffer>[] = [];
  #nodes = new Set<AudioBufferSourceNode>();
  #segments: Segment[] = [];
  #total = 0;
  /** Next sample to hand over: its chunk, its place in it, its number in the take. */
  #next = { chunk: 0, offset: 0, sample: 0 };
  #nextAt = 0;
  #isClosed = false;
  #isStopped = false;

  constructor(context: AudioContext, onEnded: () => void) {
    this.#context = context;
    this.#onEnded = onEnded;
    this.#gain = context.createGain();
    this.#gain.connect(context.destination);
    this.#timer = setInterval(() => this.#pump(), PUMP_MS);
  }

  push(samples: Int16Array<ArrayBuffer>): void {
    if (samples.length === 0 || this.#isStopped) return;
    this.#chunks.push(samples);
    this.#total += samples.length;
    this.#pump();
  }

  /** No more samples will come. */
  close(): void {
    this.#isClosed = true;
    this.#pump();
  }

  /** Seconds of the take heard so far. */
  position(): number {
    const now = this.#context.currentTime;
    const segment = this.#segments.findLast((one) => one.at <= now) ?? this.#segments[0];
    if (!segment) return this.#next.sample / SAMPLE_RATE;
    const heard = segment.sample / SAMPLE_RATE + Math.max(0, now - segment.at);
    return Math.min(heard, this.#next.sample / SAMPLE_RATE);
  }

  /** Goes on from `seconds`, as far as the take has arrived. */
  seek(seconds: number): void {
    const sample = Math.max(0, Math.min(this.#total, Math.round(seconds * SAMPLE_RATE)));
    this.#silence();
    let rest = sample;
    let chunk = 0;
    for (; chunk < this.#chunks.length; chunk += 1) {
      const length = this.#chunks[chunk]?.length ?? 0;
      if (rest < length) break;
      rest -= length;
    }
    this.#next = { chunk, offset: rest, sample };
    this.#segments = [];
    this.#nextAt = 0;
    this.#pump();
  }

  /** Falls silent when the take reaches `seconds`; `null` takes that back. */
  muteAt(seconds: number | null): void {
    this.#gain.gain.cancelScheduledValues(0);
    if (seconds === null) this.#gain.gain.value = 1;
    else {
      const inSeconds = Math.max(0, seconds - this.position());
      this.#gain.gain.setValueAtTime(0, this.#context.currentTime + inSeconds);
    }
  }

  /** Ends it for good, without `onEnded`. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#silence();
    this.#gain.disconnect();
  }

  #silence(): void {
    for (const node of this.#nodes) {
      node.onended = null;
      node.stop();
      node.disconnect();
    }
    this.#nodes.clear();
  }

  #pump(): void {
    if (this.#isStopped) return;
    const now = this.#context.currentTime;
    const waiting = (this.#total - this.#next.sample) / SAMPLE_RATE;
    const fellBehind = this.#nextAt < now + 0.005;
    if (fellBehind) {
      if (waiting === 0) {
        if (this.#isClosed && this.#nodes.size === 0) this.#end();
        return;
      }
      if (waiting < LEAD && !this.#isClosed) return;
      this.#nextAt = now + 0.03;
      this.#segments.push({ at: this.#nextAt, sample: this.#next.sample });
    }
    while (this.#nextAt < now + AHEAD && this.#next.sample < this.#total) this.#startPiece();
  }

  #startPiece(): void {
    const chunk = this.#chunks[this.#next.chunk];
    if (!chunk) return;
    const piece = chunk.subarray(this.#next.offset, this.#next.offset + LONGEST_PIECE);
    const buffer = this.#context.createBuffer(1, piece.length, SAMPLE_RATE);
    const data = buffer.getChannelData(0);
    for (let at = 0; at < piece.length; at += 1) data[at] = (piece[at] ?? 0) / 32_768;
    const node = this.#context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.#gain);
    node.onended = () => {
      this.#nodes.delete(node);
      this.#pump();
    };
    node.start(this.#nextAt);
    this.#nodes.add(node);
    this.#nextAt += piece.length / SAMPLE_RATE;
    const offset = this.#next.offset + piece.length;
    const isSpent = offset >= chunk.length;
    this.#next = {
      chunk: this.#next.chunk + (isSpent ? 1 : 0),
      offset: isSpent ? 0 : offset,
      sample: this.#next.sample + piece.length,
    };
  }

  #end(): void {
    this.stop();
    this.#onEnded();
  }
}
