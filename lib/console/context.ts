import type { GatewayServices } from "../gateway/context";
import type { PasswordHasher } from "../ports/password-hasher";
import type { KeyRecord, SessionRecord, UserRecord } from "../ports/store";
import type { Webhook } from "../ports/webhook";

/** Who may claim the instance without being the first on this machine (SECURITY SU-1). */
export interface SetupGuard {
  /** True when this caller must show the token. */
  isTokenRequired(caller: { isLocal: boolean }): boolean;
  /** Constant-time comparison; false when the token was used up. */
  accepts(token: string): boolean;
  /** Deletes token and file after success. */
  retire(): Promise<void>;
}

/** How people sign in to this instance. */
export interface SignInSettings {
  /** `NEXTAUTH_SECRET` (HKDF of the instance secret): seals the session cookie. */
  cookieSecret: string;
  /** Least time a refused sign-in takes, in milliseconds; 250. */
  refusalFloorMs: number;
}

/** Everything a console verb may reach: the gateway's services and those of the console alone. */
export interface ConsoleServices extends GatewayServices {
  hasher: PasswordHasher;
  setupGuard: SetupGuard;
  signIn: SignInSettings;
  /** Where alerts are posted to. */
  webhook: Webhook;
  /** A consistent copy of the store, read while it is written out; absent where there is no folder to write it to. */
  takeBackup?(): Promise<AsyncIterable<Uint8Array>>;
}

/** One request of the console. */
export interface ConsoleContext extends ConsoleServices {
  caller: ConsoleCaller;
  peer: { address: string | null; isLocal: boolean; isSecure: boolean };
  device: string;
  requestId: string;
}

/** What a verb that only reads asks for: the console's pages have it, too, whose answers are no request's. */
export type ReadContext = ConsoleServices & Pick<ConsoleContext, "caller">;

export type ConsoleCaller =
  | { kind: "anonymous" }
  /** `mustEnrol`: the user's role needs a second factor, and they have none yet. */
  | { kind: "session"; user: UserRecord; session: SessionRecord; mustEnrol?: boolean }
  | { kind: "manage-key"; user: UserRecord; key: KeyRecord; mustEnrol?: boolean };
