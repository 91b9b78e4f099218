import { hash, parseOptions, verify } from "@node-rs/argon2";
import { AppError } from "../../errors";
import type { PasswordHasher } from "../../ports/password-hasher";

/** The package declares its algorithms as a const enum, which other modules cannot import. */
const ARGON2ID = 2;
/** OWASP's minimum for argon2id: 19 MiB, two iterations, parallelism 1. */
const PARAMETERS = {
  algorithm: ARGON2ID,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;
/** The functions of the package that this file uses. */
export interface Argon2 {
  hash(password: string, parameters: typeof PARAMETERS): Promise<string>;
  verify(phc: string, password: string): Promise<boolean>;
}

/** More at once would use up the thread pool that DNS and file access share. */
const CONCURRENCY = 2;
const WAITING = 32;
const RETRY_AFTER_MS = 1_000;

/** Runs `atOnce` tasks at a time and lets `waiting` more wait; rejects the rest with `overloaded`. */
function createQueue(atOnce: number, waiting: number) {
  let running = 0;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) {
        throw new AppError("overloaded", "Too many sign-ins at once. Try again in a second.", {
          retryAfterMs: RETRY_AFTER_MS,
        });
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The slot passes to the first waiting task, so that a new task cannot overtake it.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** argon2id 19456/2/1 with PHC strings; setup has its own queue. `argon2`: the package, or a fake in tests. */
export function createPasswordHasher(argon2: Argon2 = { hash, verify }): PasswordHasher {
  const queues = { "sign-in": createQueue(CONCURRENCY, WAITING), setup: createQueue(1, WAITING) };
  /** Verified against for an unknown user, so that both cases take the same time. */
  let dummyHash: Promise<string> | null = null;

  return {
    hash: (password, queue) => queues[queue](() => argon2.hash(password, PARAMETERS)),

    async verify(phc, password) {
      dummyHash ??= argon2.hash("a password that no user has", PARAMETERS);
      const dummy = await dummyHash.catch((error: unknown) => {
        // The next call makes a new one.
        dummyHash = null;
        throw error;
      });
      const against = phc ?? dummy;
      const isEqual = await queues["sign-in"](() => argon2.verify(against, password));
      return phc !== null && isEqual;
    },

    needsRehash(phc) {
      const used = parseOptions(phc);
      return (
        used.algorithm !== PARAMETERS.algorithm ||
        used.memoryCost < PARAMETERS.memoryCost ||
        used.timeCost < PARAMETERS.timeCost
      );
    },
  };
}
