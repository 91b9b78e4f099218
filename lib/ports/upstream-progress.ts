/**
 * What one attempt has observed of its upstream: written by the client that sends its calls, read by the gateway, which
 * creates it. One attempt may make several upstream calls (segments of a conversation, batches of texts).
 */
export class UpstreamProgress {
  /** The head of a reply has arrived: the upstream responds, even if the body fails. */
  hasHead = false;
  /** An earlier upstream call for the attempt has replied: its text was sent in a batch, and now alone. */
  hasRepliedBefore = false;
  /** The request is so large that a late head says nothing about its upstream key. */
  isLarge = false;
  /** Progress of the shared upstream call, when the attempt's text was sent in a batch with those of other calls. */
  batch: UpstreamProgress | null = null;
  /** Indexes of the request's texts whose upstream call has replied, where the request takes several calls. */
  readonly repliedTexts = new Set<number>();
  #waiting = 0;
  #since = 0;
  #waitedMs = 0;

  /** Begins to wait for the upstream; waits of parallel calls may overlap. `now` is in monotonic milliseconds. */
  wait(now: number): void {
    if (this.#waiting === 0) this.#since = now;
    this.#waiting += 1;
  }

  resume(now: number): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#waitedMs += now - this.#since;
  }

  /**
   * Milliseconds spent waiting for the upstream so far; overlapping waits count once, waits for the caller to read do
   * not count.
   */
  waitedMs(now: number): number {
    return this.#waitedMs + (this.#waiting > 0 ? now - this.#since : 0);
  }
}
