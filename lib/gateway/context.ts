import type { Limits } from "../contracts/limits";
import type { AudioEncoder } from "../ports/audio-encoder";
import type { ChannelProviders } from "../ports/channel-probe";
import type { Sealer } from "../ports/cipher";
import type { Clock, Random } from "../ports/clock";
import type { EmbeddingModel } from "../ports/embedding-model";
import type { PasswordHasher } from "../ports/password-hasher";
import type { SpeechModel } from "../ports/speech-model";
import type {
  ChannelRecord,
  KeyRecord,
  KeyWithOwner,
  ModelRecord,
  SessionRecord,
  Store,
  UsageRecord,
  UserRecord,
} from "../ports/store";
import type { Webhook } from "../ports/webhook";

/** Structured log; fields pass an allowlist and redaction before they are written. */
export interface Log {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

/** Facts of this running instance. */
export interface Instance {
  /** Random, new at each start; owner of open usage rows. */
  id: string;
  version: string;
  /** IANA name; days and months of budgets are counted in it. */
  timeZone: string;
  /** The higher of the environment's and the settings'. */
  passwordMinimum: number;
  /** `PATCHBAY_LEGACY_ENGINES`: the engines path may leave `model` out of the body. */
  legacyEngines: boolean;
  /** The data directory's path for humans and the admin command; never in a reply. */
  dataDirectory: string;
  /** `PATCHBAY_BASE_URL`; null: callers reach us under whatever Host they name. */
  baseUrl?: string | null;
  /** True once the process has been told to stop: readiness fails, work in flight goes on. */
  draining?: boolean;
  /** The words of calls are kept beside their rows. */
  keepsPrompts?: boolean;
  /** Cached results answer requests of all users, not of their owner alone. */
  sharesCaches?: boolean;
  /** Absent: DEFAULT_LIMITS. One object for the life of the process: its fields follow the settings. */
  limits?: Limits;
  /** What the environment gave, under the settings; absent where none are followed. */
  base?: { passwordMinimum: number; limits: Limits };
  /** Web origins whose pages may call the gateway; absent: none. */
  corsOrigins?: ReadonlySet<string>;
  /** SHA-256 of the token made in the console for /metrics, in hex; absent or null: none was made. */
  metricsTokenDigest?: string | null;
  /** Reads the settings again; resolves when they are in force in this process. */
  refreshSettings?(): Promise<void>;
}

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

/** A model with what serves it, from memory. */
export interface CatalogEntry {
  model: ModelRecord;
  routes: { channel: ChannelRecord; upstreamName: string }[];
}

/** The models and channels as the gateway sees them; refreshed by the store's change feed. */
export interface Catalog {
  /** By public name or alias; null when unknown or disabled. */
  find(name: string): Promise<CatalogEntry | null>;
  all(): Promise<readonly CatalogEntry[]>;
}

/** Providers by channel, made by the composition root from lib/providers/registry.ts. */
export interface Providers extends ChannelProviders {
  /** Throws AppError `internal` when the channel's provider does not speak. */
  speech(channel: ChannelRecord): SpeechModel;
  embedding(channel: ChannelRecord): EmbeddingModel;
}

/** Counters of calls in a sliding minute and of calls at once. In memory; shared through Redis when set. */
export interface RateLimiter {
  /**
   * Takes `cost` from `limit` per `windowMs` under `bucket`. Exact at the boundary: of `limit + 1` simultaneous
   * calls one is refused. `retryAfterMs` tells when one unit is free again.
   */
  take(
    bucket: string,
    limit: number,
    windowMs: number,
    cost?: number,
  ): { allowed: boolean; remaining: number; resetMs: number; retryAfterMs: number };
  /** A place among `limit` calls at once; null when there is none. Call the releaser exactly once. */
  enter(bucket: string, limit: number): (() => void) | null;
  /** The same, waiting up to `waitMs` in a bounded queue for one to become free; null when none did, or `signal` aborts. */
  enterSoon(bucket: string, limit: number, waitMs: number, signal: AbortSignal): Promise<(() => void) | null>;
}

/** Everything a verb may reach, built once by lib/server/process/container.ts. */
export interface Services {
  store: Store;
  clock: Clock;
  random: Random;
  sealer: Sealer;
  hasher: PasswordHasher;
  log: Log;
  instance: Instance;
  setupGuard: SetupGuard;
  signIn: SignInSettings;
  catalog: Catalog;
  providers: Providers;
  /** Where alerts are posted to. */
  webhook: Webhook;
  limiter: RateLimiter;
  /** Text tokens as cl100k_base counts them; may stop above `limit` and return some number above it. */
  countTokens(text: string, limit?: number): number;
  /** The same in steps of about a millisecond, for texts so long that others must run between them. */
  countTokensInSteps(text: string, limit?: number): Generator<void, number, void>;
  /** Speech as mp3, opus, … : `createAudioEncoder({ workerFile: workerFile("encode") })` of lib/audio/encode/create.ts. */
  encoder: AudioEncoder;
  /** Numbers for /metrics. */
  metrics: Metrics;
  /** A consistent copy of the store, read as it is asked for; absent where there is no place for one. */
  takeBackup?(): Promise<AsyncIterable<Uint8Array>>;
}

export interface Metrics {
  observeCall(call: {
    operation: string;
    model: string;
    channel: string;
    status: number;
    seconds: number;
    firstByteSeconds: number | null;
  }): void;
  count(name: MetricName, value?: number): void;
  /** What /metrics shows; absent where nothing is collected. */
  exposition?: {
    /** `PATCHBAY_METRICS_TOKEN`; null: loopback alone may read. */
    token: string | null;
    contentType: string;
    render(): Promise<string>;
  };
}
export type MetricName =
  | "login_failures"
  | "rate_limited"
  | "cache_hits"
  | "cache_misses"
  | "usage_rows"
  | "usage_commits"
  | "upstream_batches"
  | "batched_texts"
  | "idempotent_repeats";

/** One request of the console. */
export interface ConsoleContext extends Services {
  caller: ConsoleCaller;
  peer: { address: string | null; isLocal: boolean; isSecure: boolean };
  device: string;
  requestId: string;
}

/** What a verb that only reads asks for: the console's pages have it, too, whose answers are no request's. */
export type ReadContext = Services & Pick<ConsoleContext, "caller">;

export type ConsoleCaller =
  | { kind: "anonymous" }
  /** `mustEnrol`: the user's role needs a second factor, and they have none yet. */
  | { kind: "session"; user: UserRecord; session: SessionRecord; mustEnrol?: boolean }
  | { kind: "manage-key"; user: UserRecord; key: KeyRecord; mustEnrol?: boolean };

/** One request of a program, its key checked. */
export interface GatewayContext extends Services {
  caller: KeyWithOwner;
  peer: { address: string | null };
  requestId: string;
  /** `x-patchbay-tags` */
  tags: string | null;
  /** `cache-control: no-store`: neither answered from a cache nor kept in one. */
  isNoStore?: boolean;
  /** Told when the call's books are open: what its reply says of channel and attempts, also when it fails. */
  onOpened?(headers: () => Record<string, string>): void;
  /** Told each usage row of the request once it is in the books. */
  onBooked?: (row: UsageRecord) => void;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
  /** Monotonic milliseconds at arrival. */
  receivedAt: number;
}
