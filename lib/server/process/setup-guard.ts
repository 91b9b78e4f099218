import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isSameSecret } from "../../console/auth/tokens";
import type { SetupGuard } from "../../console/context";
import { makeDirectory } from "../../store/make-directory";

interface SetupGuardOptions {
  dataDirectory: string;
  /** `PATCHBAY_SETUP_TOKEN`: when set, always required. */
  fixedToken?: string | null;
  /** `PATCHBAY_SETUP_OPEN`: no token is required. */
  open?: boolean;
  /** The token that another process of this server generated; null: this one generates it. */
  sharedToken?: string | null;
  /** True when the initial setup was done before this start. */
  isSetUp: boolean;
}

/** The file in the data directory that contains the token while setup is open. */
export function setupTokenFile(dataDirectory: string): string {
  return path.join(dataDirectory, "setup-token");
}

/** The token of the initial setup, for the operator. */
export interface SetupToken {
  /** Null when none is generated: set up, open, or set by the operator. */
  readonly token: string | null;
  /**
   * Writes the token to its file, or removes an older file. To be called only once this server listens: a start that
   * fails, for example because the port is in use, must not touch the file of the server that runs.
   */
  publishToken(): void;
}

/**
 * Decides who may do the initial setup: callers on this machine without a token, others with a token that is generated
 * at each start, printed, and stored in `setup-token` (0600) until setup is done.
 */
export function createSetupGuard(options: SetupGuardOptions): SetupGuard & SetupToken {
  const file = setupTokenFile(options.dataDirectory);
  const fixed = options.fixedToken ?? null;
  const isOpen = options.open === true && fixed === null;
  const generated =
    options.isSetUp || isOpen || fixed !== null
      ? null
      : (options.sharedToken ?? randomBytes(32).toString("base64url"));
  let expected = options.isSetUp ? null : (fixed ?? generated);

  return {
    token: generated,
    publishToken() {
      // The process that generated the shared token has written the file.
      if (generated !== null && typeof options.sharedToken === "string") return;
      // Removed first, since overwriting a file preserves its mode.
      rmSync(file, { force: true });
      if (generated === null) return;
      makeDirectory(options.dataDirectory);
      writeFileSync(file, `${generated}\n`, { mode: 0o600 });
    },
    isTokenRequired: (caller) => !isOpen && (fixed !== null || !caller.isLocal),
    accepts(token) {
      return isOpen || (expected !== null && isSameSecret(token, expected));
    },
    async retire() {
      expected = null;
      rmSync(file, { force: true });
    },
  };
}
