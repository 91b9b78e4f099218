import { randomBytes } from "node:crypto";
import type { ConsoleServices } from "../../lib/console/context";
import { createCatalog } from "../../lib/gateway/admission/catalog";
import { digestKey, makeKey } from "../../lib/gateway/admission/key-format";
import { createRateLimiter } from "../../lib/gateway/admission/rate-limiter";
import { createGatewayState } from "../../lib/gateway/state";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Inbound, Outbound } from "../../lib/http/core/exchange";
import { COUNT_TOKENS_ROUTES, GEMINI_EMBEDDINGS_ROUTES } from "../../lib/http/routes/gateway/gemini";
import { MODELS_ROUTES } from "../../lib/http/routes/gateway/models";
import { EMBEDDINGS_ROUTES } from "../../lib/http/routes/gateway/openai";
import type { EmbeddingModel } from "../../lib/ports/embedding-model";
import type {
  Budget,
  CallLimits,
  ChannelRecord,
  KeyRecord,
  KeyWithOwner,
  ModelRecord,
  RejectionRecord,
  Reservation,
  Store,
  Topic,
  UsageRecord,
} from "../../lib/ports/store";
import { createLexicalModel } from "../../lib/providers/lexical/lexical-model";
import { countTokens, countTokensInSteps } from "../../lib/text/tokenize";
import { expectBothAdapters } from "./both-adapters";

/** A clock that moves only when the test moves it; wall and monotonic time move together. */
export class StillClock {
  at = 1_790_000_000_000;
  now = (): number => this.at;
  monotonic = (): number => this.at;
}

const NO_CALL_LIMITS: CallLimits = { rpm: null, tpm: null, concurrency: null };
const NO_BUDGET = { totalNano: null, dailyNano: null, monthlyNano: null };
const FREE = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

export function keyRecord(fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: "key_1",
    digest: "",
    display: "sk-pb-ab…wxyz",
    name: "test",
    ownerId: "usr_1",
    kind: "api",
    sessionId: null,
    enabled: true,
    createdAt: 0,
    expiresAt: null,
    lastUsedAt: null,
    operations: ["speech", "embeddings"],
    allowedModels: [],
    allowedAddresses: [],
    rpm: null,
    tpm: null,
    concurrency: null,
    budget: NO_BUDGET,
    limitsSetBy: {},
    version: 1,
    ...fields,
  };
}

export function embedModel(fields: Partial<ModelRecord> = {}): ModelRecord {
  return {
    name: "patchbay-embed",
    aliases: ["text-embedding-3-small"],
    operation: "embeddings",
    description: "",
    prices: FREE,
    maxCharacters: null,
    maxAudioSeconds: null,
    dimensions: 1_024,
    canShorten: true,
    maxInputTokens: 8_192,
    defaultVoice: null,
    cacheable: true,
    batching: false,
    enabled: true,
    createdAt: 1_700_000_000_000,
    version: 1,
    ...fields,
  };
}

export function channelRecord(fields: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    id: "chn_1",
    name: "Built-in embeddings",
    provider: "lexical",
    baseUrl: null,
    keys: [],
    models: [{ name: "patchbay-embed", upstreamName: "patchbay-embed" }],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: null,
    timeouts: {},
    headers: {},
    options: {},
    enabled: true,
    embedded: true,
    createdAt: 0,
    version: 1,
    ...fields,
  };
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is bytes. */
  body?: unknown;
  address?: string | null;
  signal?: AbortSignal;
  /** Runs while the body arrives. */
  whileReading?(): unknown;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  text: string;
  // Tests read replies field by field.
  json: ReturnType<typeof JSON.parse>;
}

export interface GatewayHarness {
  services: ConsoleServices;
  clock: StillClock;
  /** A valid key, and a function that adds others. */
  key: string;
  addKey(fields?: Partial<KeyRecord>, key?: string): string;
  /** Emits a change of the store. */
  change(...topics: Topic[]): void;
  rows: UsageRecord[];
  reservations: Reservation[];
  /** As written to the store; `services.state.rejections.flush()` writes them at once. */
  rejections: RejectionRecord[];
  /** Reads of the store by key digest. */
  keyReads: string[];
  touched: Map<string, number>[];
  call(path: string, call?: Call): Promise<Reply>;
}

export interface HarnessOptions {
  models?: ModelRecord[];
  channels?: ChannelRecord[];
  /** The engine of a channel; default: the lexical engine. */
  engine?(channel: ChannelRecord): EmbeddingModel;
  /** The ledger's answer to a reservation. */
  refused?: "key" | "user" | null;
  /** Delays each settlement until it resolves. */
  settling?(): Promise<void>;
  ownerEnabled?: () => boolean;
  /** Limits and budget of all of the owner's keys together; default: none. */
  owner?: () => Partial<CallLimits & { budget: Budget }>;
  legacyEngines?: boolean;
  clock?: StillClock;
}

async function wholeOf(reply: Outbound): Promise<Buffer> {
  if (reply.body === null) return Buffer.alloc(0);
  if (reply.body instanceof Uint8Array) return Buffer.from(reply.body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The embeddings and model routes behind the real pipeline, with ledger and keys in memory. */
export function openGatewayHarness(options: HarnessOptions = {}): GatewayHarness {
  const clock = options.clock ?? new StillClock();
  const keys = new Map<string, KeyRecord>();
  const listeners = new Set<(topics: ReadonlySet<Topic>) => void>();
  const rows: UsageRecord[] = [];
  const reservations: Reservation[] = [];
  const rejections: RejectionRecord[] = [];
  const keyReads: string[] = [];
  const touched: Map<string, number>[] = [];
  const lexical = createLexicalModel();
  const random = { bytes: (length: number) => randomBytes(length), fraction: () => 0.5 };

  // The store methods that the gateway calls; the contract suite tests the real ones.
  const store = {
    kind: "sqlite",
    setup: { isSetUp: async () => true },
    keys: {
      findByDigest: async (digest: string): Promise<KeyWithOwner | null> => {
        keyReads.push(digest);
        const key = keys.get(digest);
        if (key === undefined) return null;
        const enabled = options.ownerEnabled?.() ?? true;
        const owner = { ...NO_CALL_LIMITS, budget: NO_BUDGET, ...options.owner?.() };
        return { key, owner: { ...owner, id: key.ownerId, role: "member", enabled } };
      },
      touchLastUsed: async (used: Map<string, number>) => {
        touched.push(new Map(used));
      },
    },
    models: { all: async () => options.models ?? [embedModel()] },
    channels: { all: async () => options.channels ?? [channelRecord()] },
    ledger: {
      reserve: async (reservation: Reservation) => {
        reservations.push(structuredClone(reservation));
        return { refused: options.refused ?? null };
      },
      settle: async (row: UsageRecord) => {
        await options.settling?.();
        rows.push({ ...row });
      },
    },
    rejections: {
      add: async (records: readonly RejectionRecord[]) => {
        rejections.push(...records);
      },
    },
    onChange: (listener: (topics: ReadonlySet<Topic>) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Store;

  const log = { info() {}, warn() {}, error() {} };
  const metrics = { observeCall() {}, count() {} };
  const services = {
    store,
    clock,
    state: createGatewayState({ store, clock, log, metrics }),
    random,
    log,
    instance: {
      id: "test",
      version: "0",
      timeZone: "UTC",
      passwordMinimum: 8,
      legacyEngines: options.legacyEngines ?? false,
      dataDirectory: "",
    },
    catalog: createCatalog(store),
    providers: { embedding: (channel: ChannelRecord) => options.engine?.(channel) ?? lexical },
    limiter: createRateLimiter(clock),
    countTokens,
    countTokensInSteps,
    metrics,
  } as unknown as ConsoleServices;

  const handler = createDispatcher(
    [...EMBEDDINGS_ROUTES, ...GEMINI_EMBEDDINGS_ROUTES, ...COUNT_TOKENS_ROUTES, ...MODELS_ROUTES],
    async () => services,
  );

  const harness: GatewayHarness = {
    services,
    clock,
    key: "",
    rows,
    reservations,
    rejections,
    keyReads,
    touched,
    addKey(fields, key = makeKey(random)) {
      const digest = digestKey(key);
      keys.set(digest, keyRecord({ id: `key_${keys.size + 1}`, ...fields, digest }));
      return key;
    },
    change(...topics) {
      for (const listener of listeners) listener(new Set(topics));
    },
    async call(target, { method, headers, body, address = "127.0.0.1", signal, whileReading } = {}) {
      const [path = "", query = ""] = target.split("?");
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body) ?? "");
      const sent = { authorization: `Bearer ${harness.key}`, ...headers };
      const request: Inbound = {
        method: method ?? (body === undefined ? "GET" : "POST"),
        path,
        query,
        headers: new Map(Object.entries(sent).filter(([, value]) => value !== "")),
        peer: { address, isLocal: true, isSecure: false },
        requestId: "req-1",
        receivedAt: clock.monotonic(),
        signal: signal ?? new AbortController().signal,
        readBody: async () => {
          await whileReading?.();
          return bytes;
        },
      };
      const reply = await handler(request);
      const whole = await wholeOf(reply);
      await expectBothAdapters({ ...request, body: bytes }, { ...reply, body: whole });
      const text = whole.toString("utf8");
      const isJson = String(reply.headers["content-type"]).startsWith("application/json");
      return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : null };
    },
  };
  harness.key = harness.addKey();
  return harness;
}
