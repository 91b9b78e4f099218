import { hash, parseOptions, verify } from "@node-rs/argon2";
import { AppError } from "../../errors";
import type { PasswordHasher } from "../../ports/password-hasher";

/** The package declares its algorithms as a const enum, which cannot be read across modules. */
const ARGON2ID = 2;
/** OWASP's floor for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  algorithm: ARGON2ID,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;
/** What this file calls of the package. */
export interface Argon2 {
  hash(password: string, parameters: typeof PARAMETERS): Promise<string>;
  verify(phc: string, password: string): Promise<boolean>;
}

/** More at once would take the threads that DNS and files share. */
const AT_ONCE = 2;
const WAITING = 32;
const RETRY_AFTER_MS = 1_000;

/** Lets `atOnce` pieces of work run and `waiting` more wait; the rest are refused. */
function createQueue(atOnce: number, waiting: number) {
  let running = 0;
  const line: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (line.length >= waiting) {
        throw new AppError("overloaded", "Too many sign-ins at once. Try again in a second.", {
          retryAfterMs: RETRY_AFTER_MS,
        });
      }
      await new Promise<void>((resolve) => line.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in before the one who waited.
      const next = line.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** argon2id 19456/2/1 with PHC strings; set-up has a queue of its own. `argon2`: the package, or a test's stand-in. */
export function createPasswordHasher(argon2: Argon2 = { hash, verify }): PasswordHasher {
  const lanes = { login: createQueue(AT_ONCE, WAITING), setup: createQueue(1, WAITING) };
  /** Verified against when there is no such user, so that both take the same work. */
  let nobody: Promise<string> | null = null;

  return {
    hash: (password, lane) => lanes[lane](() => argon2.hash(password, PARAMETERS)),

    async verify(phc, password) {
      nobody ??= argon2.hash("nobody has this password", PARAMETERS);
      const against = phc ?? (await nobody);
      const isEqual = await lanes.login(() => argon2.verify(against, password));
      return phc !== null && isEqual;
    },

    needsRehash(phc) {
      const made = parseOptions(phc);
      return (
        made.algorithm !== PARAMETERS.algorithm ||
        made.memoryCost < PARAMETERS.memoryCost ||
        made.timeCost < PARAMETERS.timeCost
      );
    },
  };
}
