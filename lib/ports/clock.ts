/** Time and randomness are passed in, so that a test can control them. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, for stored and displayed times. */
  now(): number;
  /** Monotonic milliseconds, for deadlines and limiters. */
  monotonic(): number;
}

export interface Random {
  /** `length` bytes from the operating system's generator. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for routing draws only. */
  fraction(): number;
}
