/**
 * Stored replies by owner and name, over all instances: those of requests with an Idempotency-Key. No method fails;
 * without an answer each instance has only its own.
 */
export interface SharedReplies {
  /**
   * Claims a request to run it here; `elsewhere`: another instance runs it or has its reply; `different`: the name belongs
   * to a request with another digest.
   */
  claim(owner: string, name: string, digest: string): Promise<"claimed" | "elsewhere" | "different">;
  /** The reply of the other instance once it has one; null when it gives up, crashes, or cannot be asked. */
  wait(owner: string, name: string): Promise<string | null>;
  /** Ends a claim with its reply, which is encrypted, kept for a day, and bounded in bytes for each owner. */
  store(owner: string, name: string, digest: string, reply: string): void;
  /** Ends a claim without a reply. */
  discard(owner: string, name: string): void;
}
