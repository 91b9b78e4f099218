import type { GatewayServices } from "../gateway/context";
import type { Cipher } from "../ports/cipher";
import type { LocalVoices } from "../ports/local-voices";
import type { PasswordHasher } from "../ports/password-hasher";
import type { KeyRecord, SessionRecord, UserRecord } from "../ports/store";
import type { Webhook } from "../ports/webhook";

/** Protects initial setup against callers other than this machine. */
export interface SetupGuard {
  /** True when this caller must send the setup token. */
  isTokenRequired(caller: { isLocal: boolean }): boolean;
  /** Constant-time comparison; false when the token was used up. */
  accepts(token: string): boolean;
  /** Invalidates the token and deletes its file. */
  retire(): Promise<void>;
}

interface SignInSettings {
  /** `NEXTAUTH_SECRET` (HKDF of the instance secret): encrypts the session cookie. */
  cookieSecret: string;
  /** Shortest duration of a refused sign-in, in milliseconds; 250 except in tests. */
  refusalFloorMs: number;
}

/** All services of the console: the gateway's and its own. */
export interface ConsoleServices extends GatewayServices {
  cipher: Cipher;
  hasher: PasswordHasher;
  setupGuard: SetupGuard;
  signIn: SignInSettings;
  /** Posts alerts. */
  webhook: Webhook;
  /** The neural voices of this machine; null when they are off. */
  voices: LocalVoices | null;
  /** Writes the chunks to a temporary file and returns its content, which can be read once. Throws `overloaded`. */
  spool(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>>;
  /** A consistent copy of the store, streamed; absent when there is no directory to write it to. */
  takeBackup?(): Promise<AsyncIterable<Uint8Array>>;
}

/** One request of the console. */
export interface ConsoleContext extends ConsoleServices {
  caller: ConsoleCaller;
  peer: { address: string | null; isLocal: boolean; isSecure: boolean };
  device: string;
  requestId: string;
}

/** The context of a verb that only reads; the console's pages have it without a request. */
export type ReadContext = ConsoleServices & Pick<ConsoleContext, "caller">;

export type ConsoleCaller =
  | { kind: "anonymous" }
  /** `mustEnrol`: the user's role requires 2FA and they have not enabled it. */
  | { kind: "session"; user: UserRecord; session: SessionRecord; mustEnrol?: boolean }
  | { kind: "manage-key"; user: UserRecord; key: KeyRecord; mustEnrol?: boolean };
