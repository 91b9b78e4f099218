/** argon2id with a bounded queue (two at once, 32 waiting). */
export interface PasswordHasher {
  /** PHC string. Throws AppError `overloaded` when the queue is full. `lane` keeps set-up out of the sign-in queue. */
  hash(password: string, lane: "login" | "setup"): Promise<string>;
  /** Same work whether `phc` is null (no such user) or not; false then. */
  verify(phc: string | null, password: string): Promise<boolean>;
  /** True when the string was made with weaker parameters than today's. */
  needsRehash(phc: string): boolean;
}
