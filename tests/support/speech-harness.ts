import { createHash } from "node:crypto";
import { afterAll } from "vitest";
import { createAudioEncoder } from "../../lib/audio/encode/create";
import type { ConsoleServices } from "../../lib/console/context";
import { DEFAULT_LIMITS, type Limits } from "../../lib/contracts/limits";
import type { GatewayContext } from "../../lib/gateway/context";
import { createGatewayState } from "../../lib/gateway/state";
import type { Inbound, Outbound } from "../../lib/http/core/exchange";
import { compileRoutes, matchRoute } from "../../lib/http/core/match";
import { renderFailure } from "../../lib/http/core/render-error";
import { SPEECH_GEMINI_ROUTES } from "../../lib/http/routes/gateway/gemini";
import { VOICES_ROUTES } from "../../lib/http/routes/gateway/models";
import { SPEECH_OPENAI_ROUTES } from "../../lib/http/routes/gateway/openai";
import type { CatalogEntry } from "../../lib/ports/catalog";
import type {
  CallOptions,
  SpeechEvent,
  SpeechModel,
  SpeechRequest,
  Voice,
} from "../../lib/ports/speech-model";
import type { StopSignal } from "../../lib/ports/stop-signal";
import type { ChannelRecord, ModelRecord, Store, UsageRecord } from "../../lib/ports/store";
import { EMBEDDED_VOICES } from "../../lib/providers/embedded-speech/voices";
import { workerFile } from "../../lib/server/process/workers";
import { createRateLimiter } from "../../lib/shared-state/memory-limits";
import { expectBothAdapters, type Sent } from "./both-adapters";
import { embedModel, keyRecord, SYSTEM_CLOCK, speechModel, userRecord } from "./factories";
import { tone } from "./tone";

/** A scripted speech engine that records its requests and whether it was stopped. */
export class ScriptedSpeech implements SpeechModel {
  readonly requests: SpeechRequest[] = [];
  readonly signals: StopSignal[] = [];
  returned = 0;
  running = 0;
  constructor(
    private readonly speak: (request: SpeechRequest, options: CallOptions) => AsyncIterable<SpeechEvent>,
  ) {}

  async *synthesize(request: SpeechRequest, options: CallOptions): AsyncGenerator<SpeechEvent> {
    this.requests.push(request);
    this.signals.push(options.signal);
    this.running += 1;
    let isWhole = false;
    try {
      yield* this.speak(request, options);
      isWhole = true;
    } finally {
      this.running -= 1;
      if (!isWhole) this.returned += 1;
    }
  }

  async voices(): Promise<readonly Voice[]> {
    return EMBEDDED_VOICES;
  }
}

export const END: SpeechEvent = {
  type: "end",
  usage: { inputTokens: null, outputTokens: null },
  finishReason: "STOP",
};

/** A tone of `seconds` in chunks of `chunkSeconds`, then the given events. */
export async function* spoken(
  seconds: number,
  { chunkSeconds = 0.2, ending = END as SpeechEvent | Error | null } = {},
): AsyncGenerator<SpeechEvent> {
  for await (const pcm of tone(seconds, { chunkSeconds })) yield { type: "audio", pcm };
  if (ending instanceof Error) throw ending;
  if (ending) yield ending;
}

interface SpeechHarness {
  /** Settled usage rows in order. */
  rows: UsageRecord[];
  reserved: UsageRecord[];
  /** Makes the caller leave. */
  leave(): void;
  /** The context of every request; a test may change it between requests. */
  ctx: GatewayContext;
  post(path: string, body: unknown): Promise<Outbound>;
  get(path: string): Promise<Outbound>;
}

/** The speech routes with an in-memory ledger; `engines` has the engine of each channel. */
export function openSpeechHarness(
  engines: readonly { channel: ChannelRecord; speech: SpeechModel }[],
  options: {
    model?: Partial<ModelRecord>;
    settling?: Promise<void>;
    encoder?: ConsoleServices["encoder"];
    limits?: Partial<Limits>;
  } = {},
): SpeechHarness {
  const rows: UsageRecord[] = [];
  const reserved: UsageRecord[] = [];
  const leaving = new AbortController();
  const model = speechModel(options.model);
  const entry: CatalogEntry = {
    model,
    routes: engines.map((one) => ({ channel: one.channel, upstreamName: `upstream-${one.channel.id}` })),
    disabledChannels: [],
  };
  const embed: CatalogEntry = {
    model: embedModel(),
    routes: [],
    disabledChannels: [],
  };
  const clock = SYSTEM_CLOCK;
  const silent = { info() {}, warn() {}, error() {} };
  // The speech path uses these services only; the rest of the store is not called.
  const metrics = { observeCall() {}, countRejection() {}, count() {} };
  const store = {
    onChange: () => () => {},
    ledger: {
      reserve: async ({ row }: { row: UsageRecord }) => {
        reserved.push({ ...row });
        return null;
      },
      isFailing: () => false,
      settle: async (row: UsageRecord) => {
        await options.settling;
        rows.push({ ...row });
      },
    },
  };
  const ctx = {
    services: {
      store,
      clock,
      // The store's fields that the state needs are above.
      state: createGatewayState({ store: store as unknown as Store, clock, log: silent, metrics }),
      random: {
        bytes: (length: number) =>
          createHash("sha512").update(String(rows.length)).digest().subarray(0, length),
        fraction: () => 0,
      },
      log: silent,
      instance: {
        id: "test",
        version: "0",
        timeZone: "UTC",
        passwordMinimum: 8,
        legacyEngines: false,
        dataDirectory: "",
        limits: { ...DEFAULT_LIMITS, ...options.limits },
      },
      catalog: {
        find: async (name: string) =>
          [entry, embed].find((one) => one.model.name === name || one.model.aliases.includes(name)) ?? null,
        all: async () => [embed, entry],
      },
      providers: {
        speech: (wanted: ChannelRecord) => {
          const engine = engines.find((one) => one.channel.id === wanted.id);
          if (!engine) throw new Error(`no engine for ${wanted.id}`);
          return engine.speech;
        },
      },
      limiter: createRateLimiter(clock),
      countTokens: (text: string) => text.split(/\s+/).filter(Boolean).length,
      *countTokensInSteps(text: string) {
        yield;
        return text.split(/\s+/).filter(Boolean).length;
      },
      encoder: options.encoder ?? sharedEncoder(),
      metrics,
    },
    caller: { key: keyRecord("usr_1", { id: "key_1" }), owner: userRecord({ id: "usr_1", role: "owner" }) },
    requestId: "req-1",
    tags: null,
    signal: leaving.signal,
    receivedAt: clock.monotonic(),
  } as unknown as GatewayContext;

  const table = compileRoutes([...SPEECH_GEMINI_ROUTES, ...SPEECH_OPENAI_ROUTES, ...VOICES_ROUTES]);
  const run = async (method: string, target: string, body: unknown): Promise<Outbound> => {
    const [path = "", query = ""] = target.split("?");
    const match = matchRoute(table, method, path);
    if (match.kind !== "found" || match.route.surface === "console" || match.route.surface === "plain") {
      throw new Error(`${method} ${path} is no gateway route`);
    }
    // Handlers read only the query.
    const request = { method, path, query, headers: new Map(), requestId: "req-1" } as unknown as Inbound;
    const { route, params } = match;
    const answer = async (): Promise<Outbound> => {
      try {
        return await route.handle(ctx, { body, params, request });
      } catch (error) {
        return renderFailure(route.surface, error, request, silent);
      }
    };
    const reply = await answer();
    const headers = new Map(method === "GET" ? [] : [["content-type", "application/json"]]);
    const sent = { method, path, query, headers, body: Buffer.from(JSON.stringify(body) ?? "") };
    if (reply.body === null || reply.body instanceof Uint8Array)
      await expectBothAdapters(sent, { ...reply, body: reply.body });
    else streamed.set(reply, sent);
    return reply;
  };
  return {
    rows,
    reserved,
    leave: () => leaving.abort(),
    ctx,
    post: (path, body) => run("POST", path, body),
    get: (path) => run("GET", path, undefined),
  };
}

/** The requests of streamed replies. */
const streamed = new WeakMap<Outbound, Sent>();

let shared: ReturnType<typeof createAudioEncoder> | undefined;
function sharedEncoder() {
  shared ??= createAudioEncoder({ workerFile: workerFile("encode") });
  return shared;
}
afterAll(async () => {
  await shared?.close();
  shared = undefined;
});

/** The chunks of a streamed body. */
export function chunksOf(reply: Outbound): AsyncIterator<Uint8Array> {
  if (reply.body === null || reply.body instanceof Uint8Array) throw new Error("the reply does not stream");
  return reply.body[Symbol.asyncIterator]();
}

/** The whole body, and the error that broke it, if any. */
export async function readBody(reply: Outbound): Promise<{ bytes: Buffer; error: unknown }> {
  if (reply.body === null || reply.body instanceof Uint8Array) {
    return { bytes: Buffer.from(reply.body ?? []), error: null };
  }
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of reply.body) chunks.push(chunk);
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
  const bytes = Buffer.concat(chunks);
  const sent = streamed.get(reply);
  if (sent !== undefined) await expectBothAdapters(sent, { ...reply, body: bytes });
  return { bytes, error: null };
}
