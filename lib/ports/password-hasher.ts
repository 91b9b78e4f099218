/** argon2id with bounded queues: sign-in two at once, setup one, each with 32 waiting. */
export interface PasswordHasher {
  /** PHC string. Throws AppError `overloaded` when the queue is full. `queue` separates setup from sign-in. */
  hash(password: string, queue: "sign-in" | "setup"): Promise<string>;
  /**
   * Takes the same time when `phc` is null (no such user), and returns false then. Throws AppError `overloaded` when the
   * queue of sign-ins is full.
   */
  verify(phc: string | null, password: string): Promise<boolean>;
  /** True when the string was made with weaker parameters than the current ones. */
  needsRehash(phc: string): boolean;
}
