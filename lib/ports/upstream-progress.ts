/**
 * What one attempt has seen of its upstream: written by the client that sends its calls, read by the gateway, which
 * made it. One attempt may make several upstream calls (segments of a conversation, batches of texts).
 */
export class UpstreamProgress {
  /** The head of a reply has arrived: the upstream answers, whatever follows. */
  hasHead = false;
  /** Of the shared upstream call, where dynamic batching sent the attempt's text with those of others. */
  batch: UpstreamProgress | null = null;
  #waiting = 0;
  #since = 0;
  #waitedMs = 0;

  /** Begins to wait for the upstream; waits of parallel calls may overlap. `now` in monotonic milliseconds. */
  wait(now: number): void {
    if (this.#waiting === 0) this.#since = now;
    this.#waiting += 1;
  }

  /** Ends one wait. */
  resume(now: number): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#waitedMs += now - this.#since;
  }

  /** Milliseconds spent waiting for the upstream so far, overlapping waits once; time with the reader is not in it. */
  waitedMs(now: number): number {
    return this.#waitedMs + (this.#waiting > 0 ? now - this.#since : 0);
  }
}
