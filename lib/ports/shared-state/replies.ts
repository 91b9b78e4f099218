/**
 * Stored replies by owner and name, of requests with an Idempotency-Key: over all instances in Redis, else over the processes
 * of one server. No method fails; without an answer each process has only its own.
 */
export interface SharedReplies {
  /**
   * Claims a request to run it here; `elsewhere`: another process runs it or has its reply; `different`: the name belongs
   * to a request with another digest.
   */
  claim(owner: string, name: string, digest: string): Promise<"claimed" | "elsewhere" | "different">;
  /** The reply of the other process once it has one; null when it gives up, crashes, or cannot be asked. */
  wait(owner: string, name: string): Promise<string | null>;
  /** Ends a claim with its reply, which is kept for a day within a bound of bytes. */
  store(owner: string, name: string, digest: string, reply: string): void;
  /** Ends a claim without a reply. */
  discard(owner: string, name: string): void;
}
