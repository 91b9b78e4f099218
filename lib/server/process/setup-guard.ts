import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isSameSecret } from "../../console/auth/tokens";
import type { SetupGuard } from "../../console/context";

export interface SetupGuardOptions {
  dataDirectory: string;
  /** `PATCHBAY_SETUP_TOKEN`: then always required. */
  fixedToken?: string | null;
  /** `PATCHBAY_SETUP_OPEN`: nobody needs a token. */
  open?: boolean;
  /** True when the instance was set up before this start. */
  claimed: boolean;
}

/** The file in the data directory that holds the token while set-up is open. */
export function setupTokenFile(dataDirectory: string): string {
  return path.join(dataDirectory, "setup-token");
}

/**
 * Who may claim the instance (SECURITY SU-1): this machine without a token, everybody else with the one that is
 * made anew at each start, printed, and kept in `setup-token` (0600) until set-up is done. `token` is what to print;
 * null when there is none to tell (claimed, open, or set by the operator).
 */
export function createSetupGuard(options: SetupGuardOptions): SetupGuard & { readonly token: string | null } {
  const file = setupTokenFile(options.dataDirectory);
  const fixed = options.fixedToken ?? null;
  const isOpen = options.open === true && fixed === null;
  const made = options.claimed || isOpen || fixed !== null ? null : randomBytes(32).toString("base64url");
  let expected = options.claimed ? null : (fixed ?? made);

  if (made === null) {
    rmSync(file, { force: true });
  } else {
    mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 });
    // Removed first: writing over an older file would keep its mode.
    rmSync(file, { force: true });
    writeFileSync(file, `${made}\n`, { mode: 0o600 });
  }

  return {
    token: made,
    isTokenRequired: (caller) => !isOpen && (fixed !== null || !caller.isLocal),
    accepts(token) {
      return expected !== null && isSameSecret(token, expected);
    },
    async retire() {
      expected = null;
      rmSync(file, { force: true });
    },
  };
}
