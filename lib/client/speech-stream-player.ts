import { SAMPLE_RATE } from "./speech-pcm";

/** Seconds of audio scheduled in advance: longer than the timer interval of a background tab. */
const SCHEDULE_AHEAD_SECONDS = 3;
/** Seconds to buffer before playback starts, or restarts after a buffer underrun. */
const MIN_BUFFER_SECONDS = 0.12;
/** Longest piece that is scheduled as one buffer, in samples: half a second. */
const MAX_PIECE = SAMPLE_RATE / 2;
const SCHEDULE_MS = 200;

/** From time `at` of the audio clock on, the samples from index `sample` on are played without a gap. */
interface Segment {
  at: number;
  sample: number;
}

/**
 * Plays samples while they arrive: each piece is scheduled on the audio clock exactly where the previous one ends, so
 * that there are no clicks. After a buffer underrun playback waits for more samples and continues.
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
  /** The next sample to schedule: its chunk, its offset in it, its index in the take. */
  #next = { chunk: 0, offset: 0, sample: 0 };
  #nextAt = 0;
  #isClosed = false;
  #isStopped = false;

  constructor(context: AudioContext, onEnded: () => void) {
    this.#context = context;
    this.#onEnded = onEnded;
    this.#gain = context.createGain();
    this.#gain.connect(context.destination);
    this.#timer = setInterval(() => this.#schedule(), SCHEDULE_MS);
  }

  push(samples: Int16Array<ArrayBuffer>): void {
    if (samples.length === 0 || this.#isStopped) return;
    this.#chunks.push(samples);
    this.#total += samples.length;
    this.#schedule();
  }

  /** No more samples will come. */
  close(): void {
    this.#isClosed = true;
    this.#schedule();
  }

  /** Playback position in seconds. */
  position(): number {
    const now = this.#context.currentTime;
    const segment = this.#segments.findLast((one) => one.at <= now) ?? this.#segments[0];
    if (!segment) return this.#next.sample / SAMPLE_RATE;
    const position = segment.sample / SAMPLE_RATE + Math.max(0, now - segment.at);
    return Math.min(position, this.#next.sample / SAMPLE_RATE);
  }

  /** Continues from `seconds`, or from the end of what has arrived if that is earlier. */
  seek(seconds: number): void {
    const sample = Math.max(0, Math.min(this.#total, Math.round(seconds * SAMPLE_RATE)));
    this.#stopNodes();
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
    this.#schedule();
  }

  /** Mutes playback from position `seconds` on; null cancels that. */
  muteAt(seconds: number | null): void {
    this.#gain.gain.cancelScheduledValues(0);
    if (seconds === null) this.#gain.gain.value = 1;
    else {
      const inSeconds = Math.max(0, seconds - this.position());
      this.#gain.gain.setValueAtTime(0, this.#context.currentTime + inSeconds);
    }
  }

  /** Stops permanently, without calling `onEnded`. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#stopNodes();
    this.#gain.disconnect();
  }

  #stopNodes(): void {
    for (const node of this.#nodes) {
      node.onended = null;
      node.stop();
      node.disconnect();
    }
    this.#nodes.clear();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const now = this.#context.currentTime;
    const buffered = (this.#total - this.#next.sample) / SAMPLE_RATE;
    const fellBehind = this.#nextAt < now + 0.005;
    if (fellBehind) {
      if (buffered === 0) {
        if (this.#isClosed && this.#nodes.size === 0) this.#end();
        return;
      }
      if (buffered < MIN_BUFFER_SECONDS && !this.#isClosed) return;
      this.#nextAt = now + 0.03;
      this.#segments.push({ at: this.#nextAt, sample: this.#next.sample });
    }
    while (this.#nextAt < now + SCHEDULE_AHEAD_SECONDS && this.#next.sample < this.#total)
      this.#schedulePiece();
  }

  #schedulePiece(): void {
    const chunk = this.#chunks[this.#next.chunk];
    if (!chunk) return;
    const piece = chunk.subarray(this.#next.offset, this.#next.offset + MAX_PIECE);
    const buffer = this.#context.createBuffer(1, piece.length, SAMPLE_RATE);
    const data = buffer.getChannelData(0);
    for (let at = 0; at < piece.length; at += 1) data[at] = (piece[at] ?? 0) / 32_768;
    const node = this.#context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.#gain);
    node.onended = () => {
      this.#nodes.delete(node);
      this.#schedule();
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
