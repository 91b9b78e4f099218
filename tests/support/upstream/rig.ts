import { DEFAULT_LIMITS, type Limits } from "../../../lib/contracts/limits";
import { channelKeyAad } from "../../../lib/ports/channel-probe";
import type { Clock } from "../../../lib/ports/clock";
import type { CallOptions, SpeechEvent, SpeechModel, SpeechRequest } from "../../../lib/ports/speech-model";
import type { ChannelRecord } from "../../../lib/ports/store";
import type { Lookup } from "../../../lib/providers/outbound/resolver";
import { createProviders } from "../../../lib/providers/registry";
import { packageFolder } from "../../../lib/server/process/workers";
import { createCipher } from "../../../lib/store/cipher";
import { channelRecord, SYSTEM_CLOCK } from "../factories";
import type { Upstream } from "./server";

export const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";

export const cipher = createCipher({ current: "a secret of the tests, long enough", previous: [] });

export interface RigOptions {
  allow?: readonly string[];
  lookup?: Lookup;
  limits?: Partial<Limits>;
  clock?: Clock;
}

/** The product's providers, with these upstreams allowed. */
export function createRig(upstreams: readonly Upstream[], options: RigOptions = {}) {
  const allow = [...upstreams.map(({ target }) => target), ...(options.allow ?? [])];
  return createProviders({
    voices: null,
    workerFile: () => {
      throw new Error("No engine is needed here.");
    },
    packageFolder,
    clock: options.clock ?? SYSTEM_CLOCK,
    upstreams: {
      cipher,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      allowedUpstreams: () => allow,
      allowedWebhooks: [],
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    },
  });
}

/** The base path of each provider's channels at the loopback upstream. */
export const BASE_PATHS: Readonly<Record<string, string>> = {
  openai: "/v1",
  gemini: "/v1beta",
  elevenlabs: "/eleven/v1",
};

let channels = 0;

/** A new channel, so that tests share no connection pool. */
export function channelTo(
  provider: string,
  upstream: Pick<Upstream, "origin">,
  fields: Partial<ChannelRecord> = {},
): ChannelRecord {
  channels += 1;
  const id = `chn_${channels}`;
  const encrypted = cipher.encrypt("upstream-key", channelKeyAad(id, "cky_1"), UPSTREAM_KEY);
  return channelRecord({
    id,
    name: `channel ${channels}`,
    provider,
    baseUrl: `${upstream.origin}${BASE_PATHS[provider] ?? ""}`,
    keys: [{ id: "cky_1", encrypted, display: "****cdef" }],
    models: [],
    timeouts: {},
    headers: {},
    options: {},
    createdAt: 0,
    ...fields,
  });
}

export function callOptions(fields: Partial<CallOptions> = {}): CallOptions {
  return {
    signal: new AbortController().signal,
    requestId: "req-1",
    firstByteBy: performance.now() + 20_000,
    ...fields,
  };
}

export const TEXT = "The quick brown fox jumps over the lazy dog, twice.";

export function speechRequest(model: string, fields: Partial<SpeechRequest> = {}): SpeechRequest {
  return { model, segments: [{ text: TEXT, voice: "Kore" }], speed: 1, ...fields };
}

export interface Heard {
  pcm: Buffer;
  /** Null when the stream stopped without an `end`. */
  end: Extract<SpeechEvent, { type: "end" }> | null;
  /** The error that broke it, if any. */
  error: unknown;
}

/** Reads the stream to its end or error. */
export async function hear(
  model: SpeechModel,
  request: SpeechRequest,
  options = callOptions(),
): Promise<Heard> {
  const pcm: Uint8Array[] = [];
  let end: Heard["end"] = null;
  try {
    for await (const event of model.synthesize(request, options)) {
      if (event.type === "audio") pcm.push(event.pcm);
      else if (event.type === "end") end = event;
      else throw new TypeError("base64 that was not asked for");
    }
  } catch (error) {
    return { pcm: Buffer.concat(pcm), end, error };
  }
  return { pcm: Buffer.concat(pcm), end, error: null };
}
