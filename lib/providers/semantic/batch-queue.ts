import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { Segment } from "./protocol";

export interface EmbeddedSegments {
  vectors: Float32Array[];
  /** Positions of the segments whose opening is in another language. */
  notEnglish: number[];
}

/** One call; its segments are sent in order, some with each batch. */
export interface Job {
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

/** Calls with segments that were not sent yet; each batch takes one segment of each call in turn. */
export class BatchQueue {
  /** The next call first. */
  readonly #jobs: Job[] = [];
  #tokens = 0;

  /** Tokens of the segments that wait. */
  get tokens(): number {
    return this.#tokens;
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  add(job: Job): void {
    this.#jobs.push(job);
    this.#tokens += tokensOf(job.segments);
  }

  nextBatch(): Part[] {
    const batch: Part[] = [];
    let tokens = 0;
    while (this.#jobs.length > 0 && batch.length < SEGMENTS_OF_BATCH && tokens < TOKENS_OF_BATCH) {
      const job = this.#jobs.shift();
      const segment = job?.segments[job.next];
      if (job === undefined || segment === undefined) break;
      batch.push({ job, position: job.next });
      tokens += segment.ids.length;
      job.next++;
      if (job.next < job.segments.length) this.#jobs.push(job);
    }
    this.#tokens -= tokens;
    return batch;
  }

  /** Fails a call, queued or running. The call's part of a running batch is computed and discarded. */
  drop(job: Job, error: unknown): void {
    const at = this.#jobs.indexOf(job);
    if (at >= 0) this.#jobs.splice(at, 1);
    this.#tokens -= tokensOf(job.segments.slice(job.next));
    job.next = job.segments.length;
    job.reject(error);
  }

  dropAll(error: unknown): void {
    for (const job of [...this.#jobs]) this.drop(job, error);
  }
}
