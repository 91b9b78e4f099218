import type { AudioEncoder } from "../ports/audio-encoder";
import type { Catalog } from "../ports/catalog";
import type { Cipher } from "../ports/cipher";
import type { Clock, Random } from "../ports/clock";
import type { Instance } from "../ports/instance";
import type { Log } from "../ports/log";
import type { Metrics } from "../ports/metrics";
import type { Providers } from "../ports/providers";
import type { RateLimiter } from "../ports/rate-limiter";
import type { KeyWithOwner, Store, UsageRecord } from "../ports/store";
import type { GatewayState } from "./state";

/** Everything a gateway verb may reach, built once by lib/server/process/container.ts. */
export interface GatewayServices {
  store: Store;
  clock: Clock;
  /** What the gateway remembers between requests. */
  state: GatewayState;
  random: Random;
  cipher: Cipher;
  log: Log;
  instance: Instance;
  catalog: Catalog;
  providers: Providers;
  limiter: RateLimiter;
  /** Text tokens as cl100k_base counts them; may stop above `limit` and return some number above it. */
  countTokens(text: string, limit?: number): number;
  /** The same in steps of about a millisecond, for texts so long that others must run between them. */
  countTokensInSteps(text: string, limit?: number): Generator<void, number, void>;
  /** Speech as mp3, opus, … : `createAudioEncoder({ workerFile: workerFile("encode") })` of lib/audio/encode/create.ts. */
  encoder: AudioEncoder;
  /** Numbers for /metrics. */
  metrics: Metrics;
}

/** One request of a program, its key checked. */
export interface GatewayContext extends GatewayServices {
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
  onRecorded?: (row: UsageRecord) => void;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
  /** Monotonic milliseconds at arrival. */
  receivedAt: number;
}
