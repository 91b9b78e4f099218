/** Time and chance come in as arguments, so that a test can hold them still. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 (what is stored and shown). */
  now(): number;
  /** Monotonic milliseconds (deadlines and limiters); never goes back. */
  monotonic(): number;
}

export interface Random {
  /** `length` bytes from the operating system's generator. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for routing draws only. */
  fraction(): number;
}
