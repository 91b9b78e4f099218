/**
 * Stored replies by owner and name, of requests with an Idempotency-Key: over all instances in Redis, else over the processes
 * of one server. No method throws; while the shared state does not answer, each process uses its own replies.
 */
export interface SharedReplies {
  /**
   * Claims a request to run it here; `elsewhere`: another process runs it or has its reply; `different`: the name belongs
   * to a request with another digest.
   */
  claim(owner: string, name: string, digest: string): Promise<"claimed" | "elsewhere" | "different">;
  /** Waits for the reply of the other process; null when it ends without one, crashes, or cannot be reached. */
  wait(owner: string, name: string): Promise<string | null>;
  /** Ends a claim with its reply, which is kept for a day within a limit of bytes. */
  store(owner: string, name: string, digest: string, reply: string): void;
  /** Ends a claim without a reply. */
  discard(owner: string, name: string): void;
}
