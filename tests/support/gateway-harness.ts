import { randomBytes } from "node:crypto";
import type { ConsoleServices } from "../../lib/console/context";
import { DEFAULT_LIMITS } from "../../lib/contracts/limits";
import { AppError } from "../../lib/errors";
import { createCatalog } from "../../lib/gateway/admission/catalog";
import { digestKey, makeKey } from "../../lib/gateway/admission/key-format";
import { createGatewayState, forgetChannel } from "../../lib/gateway/state";
import { createDispatcher } from "../../lib/http/core/dispatch";
import {
  COUNT_TOKENS_ROUTES,
  GEMINI_EMBEDDINGS_ROUTES,
  SPEECH_GEMINI_ROUTES,
} from "../../lib/http/routes/gateway/gemini";
import { MODELS_ROUTES, VOICES_ROUTES } from "../../lib/http/routes/gateway/models";
import { EMBEDDINGS_ROUTES } from "../../lib/http/routes/gateway/openai";
import type { EmbeddingModel } from "../../lib/ports/embedding-model";
import type { SpeechModel } from "../../lib/ports/speech-model";
import type {
  Budget,
  CallLimits,
  ChannelRecord,
  KeyRecord,
  KeyWithOwner,
  ModelRecord,
  RejectionRecord,
  Reservation,
  Role,
  Store,
  Topic,
  UsageRecord,
} from "../../lib/ports/store";
import { createLexicalModel } from "../../lib/providers/lexical/lexical-model";
import { createRateLimiter } from "../../lib/shared-state/memory-limits";
import { countTokens, countTokensInSteps } from "../../lib/text/tokenize";
import { expectBothAdapters } from "./both-adapters";
import { inbound, wholeBody } from "./exchange";
import { embedModel, FakeClock, keyRecord, lexicalChannel, NO_BUDGET } from "./factories";

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
  // Tests read single fields of a reply.
  json: ReturnType<typeof JSON.parse>;
}

export interface GatewayHarness {
  services: ConsoleServices;
  clock: FakeClock;
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

interface HarnessOptions {
  models?: ModelRecord[];
  channels?: ChannelRecord[];
  /** The engine of a channel; default: the lexical engine. */
  engine?(channel: ChannelRecord): EmbeddingModel;
  /** The speech model of a channel; default: none. */
  speech?(channel: ChannelRecord): SpeechModel;
  /** Whose daily budget refuses every reservation; default: none. */
  fullBudget?: "key" | "user" | null;
  /** Delays each settlement until it resolves. */
  settling?(): Promise<void>;
  ownerEnabled?: () => boolean;
  /** Limits and budget of all of the owner's keys together, and the owner's role; default: none, and a member. */
  owner?: () => Partial<CallLimits & { budget: Budget; role: Role }>;
  legacyEngines?: boolean;
  clock?: FakeClock;
  /** The store was unavailable for the last commit, and still is. */
  isStoreFailing?: boolean;
  /** False: replies are not compared through both adapters, for simulations of thousands of equal calls. */
  bothAdapters?: boolean;
}

/** The embeddings and model routes behind the real pipeline, with ledger and keys in memory. */
export function openGatewayHarness(options: HarnessOptions = {}): GatewayHarness {
  const clock = options.clock ?? new FakeClock();
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
        const limits = { rpm: null, tpm: null, concurrency: null, budget: NO_BUDGET };
        const owner = { ...limits, role: "member" as const, ...options.owner?.() };
        return { key, owner: { ...owner, id: key.ownerId, enabled } };
      },
      touchLastUsed: async (used: Map<string, number>) => {
        touched.push(new Map(used));
      },
    },
    models: { all: async () => options.models ?? [embedModel()] },
    channels: { all: async () => options.channels ?? [lexicalChannel()] },
    ledger: {
      reserve: async (reservation: Reservation) => {
        if (options.isStoreFailing) throw new AppError("storage_unavailable", "The disk is full.");
        reservations.push(structuredClone(reservation));
        return options.fullBudget ? { owner: options.fullBudget, period: "daily" } : null;
      },
      isFailing: () => options.isStoreFailing ?? false,
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
  const metrics = { observeCall() {}, countRejection() {}, count() {} };
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
      limits: { ...DEFAULT_LIMITS },
    },
    catalog: createCatalog(store, (id) => forgetChannel(services.state, id)),
    providers: {
      embedding: (channel: ChannelRecord) => options.engine?.(channel) ?? lexical,
      speech: options.speech,
    },
    limiter: createRateLimiter(clock),
    countTokens,
    countTokensInSteps,
    metrics,
  } as unknown as ConsoleServices;

  const handler = createDispatcher(
    [
      ...VOICES_ROUTES,
      ...SPEECH_GEMINI_ROUTES,
      ...EMBEDDINGS_ROUTES,
      ...GEMINI_EMBEDDINGS_ROUTES,
      ...COUNT_TOKENS_ROUTES,
      ...MODELS_ROUTES,
    ],
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
      keys.set(digest, keyRecord("usr_1", { id: `key_${keys.size + 1}`, createdAt: 0, ...fields, digest }));
      return key;
    },
    change(...topics) {
      for (const listener of listeners) listener(new Set(topics));
    },
    async call(target, { method, headers, body, address = "127.0.0.1", signal, whileReading } = {}) {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body) ?? "");
      const sent = { authorization: `Bearer ${harness.key}`, ...headers };
      const releases: (() => void)[] = [];
      const request = inbound(target, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: Object.entries(sent).filter(([, value]) => value !== ""),
        body: bytes,
        clock,
        peer: { address },
        signal,
        whileReading,
        onFinished: (release) => void releases.push(release),
      });
      const reply = await handler(request);
      const whole = await wholeBody(reply);
      for (const release of releases) release();
      if (options.bothAdapters !== false)
        await expectBothAdapters({ ...request, body: bytes }, { ...reply, body: whole });
      const text = whole.toString("utf8");
      const isJson = String(reply.headers["content-type"]).startsWith("application/json");
      return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : null };
    },
  };
  harness.key = harness.addKey();
  return harness;
}
