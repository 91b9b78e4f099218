import type { UpstreamProgress } from "../../ports/upstream-progress";
import { Turns } from "../engine-pool/turns";
import type { Segment } from "./protocol";

export interface EmbeddedSegments {
  vectors: Float32Array[];
  /** Positions of the segments whose opening is in another language. */
  notEnglish: number[];
}

/** One call; its segments are sent in order, some with each batch. */
export interface Job {
  owner: string;
  segments: readonly Segment[];
  /** The next segment to send. */
  next: number;
  left: number;
  result: EmbeddedSegments;
  progress: UpstreamProgress | undefined;
  resolve(result: EmbeddedSegments): void;
  reject(error: unknown): void;
}

export interface Part {
  job: Job;
  position: number;
}

/** A batch is about a third of a second of work, so that a single text never waits long behind a large call. */
export const TOKENS_OF_BATCH = 512;
const SEGMENTS_OF_BATCH = 64;

export const tokensOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { ids }) => sum + ids.length, 0);

/**
 * Calls with segments that were not sent yet. Each turn sends one segment: owners take turns, so that one owner's calls
 * do not delay another's, and so do the calls of one owner.
 */
export class BatchQueue {
  readonly #jobs = new Turns<Job>();
  /** Tokens of the waiting segments, by owner. */
  readonly #tokens = new Map<string, number>();

  /** Tokens of all waiting segments. */
  get tokens(): number {
    let sum = 0;
    for (const tokens of this.#tokens.values()) sum += tokens;
    return sum;
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  /**
   * About how many waiting tokens are sent before the last of `tokens` that this owner adds now; `tokens` are not
   * included.
   */
  tokensBefore(owner: string, tokens: number): number {
    const own = this.#tokens.get(owner) ?? 0;
    let sum = 0;
    for (const [other, waiting] of this.#tokens)
      sum += other === owner ? waiting : Math.min(waiting, own + tokens);
    return sum;
  }

  add(job: Job): void {
    this.#jobs.add(job.owner, job);
    this.#count(job, tokensOf(job.segments));
  }

  nextBatch(): Part[] {
    const batch: Part[] = [];
    let tokens = 0;
    while (this.#jobs.size > 0 && batch.length < SEGMENTS_OF_BATCH && tokens < TOKENS_OF_BATCH) {
      const job = this.#jobs.take();
      const segment = job?.segments[job.next];
      if (job === undefined || segment === undefined) break;
      batch.push({ job, position: job.next });
      tokens += segment.ids.length;
      this.#count(job, -segment.ids.length);
      job.next++;
      if (job.next < job.segments.length) this.#jobs.add(job.owner, job);
    }
    return batch;
  }

  /** Fails a call, queued or running. The call's part of a running batch is computed and discarded. */
  drop(job: Job, error: unknown): void {
    this.#jobs.delete(job.owner, job);
    this.#count(job, -tokensOf(job.segments.slice(job.next)));
    job.next = job.segments.length;
    job.reject(error);
  }

  dropAll(error: unknown): void {
    for (let job = this.#jobs.take(); job !== undefined; job = this.#jobs.take()) this.drop(job, error);
  }

  #count({ owner }: Job, change: number): void {
    const tokens = (this.#tokens.get(owner) ?? 0) + change;
    if (tokens > 0) this.#tokens.set(owner, tokens);
    else this.#tokens.delete(owner);
  }
}
