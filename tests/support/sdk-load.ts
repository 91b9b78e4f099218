import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { ROUTED_MODEL } from "./balanced";

/** Limit of calls in flight: a machine too slow for the rate gets a lower rate, never a growing queue. */
const MAX_IN_FLIGHT = 24;
const TICK_MS = 10;

export interface Failed {
  /** Null: no HTTP reply. */
  status: number | null;
  message: string;
}

export interface LoadResult {
  /** Request IDs of complete successful replies. */
  received: string[];
  failed: Failed[];
  /** Calls started per second. */
  rate: number;
}

export interface SdkLoad {
  readonly result: LoadResult;
  stop(): Promise<LoadResult>;
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number"
    ? error.status
    : null;
}

/** Embeddings only: no SDK repeats a stream after its caller received a part. */
function kindsOf(url: string, key: string): ((text: string) => Promise<string>)[] {
  const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1` });
  const genai = new GoogleGenAI({
    apiKey: key,
    // Without `retryOptions` this SDK does not retry.
    httpOptions: { baseUrl: url, retryOptions: {} },
  });
  const embed = (model: string) => async (text: string) => {
    const { data, request_id: id } = await openai.embeddings.create({ model, input: text }).withResponse();
    if (!data.data[0]?.embedding.length) throw new Error("The reply has no vector.");
    return id ?? "";
  };
  const idOf = (reply: { sdkHttpResponse?: { headers?: Record<string, string> } }) =>
    reply.sdkHttpResponse?.headers?.["x-request-id"] ?? "";
  const embedGemini = async (text: string) => {
    const reply = await genai.models.embedContent({ model: ROUTED_MODEL, contents: text });
    if (!reply.embeddings?.[0]?.values?.length) throw new Error("The reply has no vector.");
    return idOf(reply);
  };
  const routed = embed(ROUTED_MODEL);
  const builtIn = embed("patchbay-embed");
  return [routed, routed, builtIn, routed, embedGemini, routed, builtIn, routed, embedGemini, routed];
}

/** Calls by the official SDKs, with their own retries, at `perSecond` until it is stopped. */
export function loadBySdks(url: string, key: string, perSecond: number): SdkLoad {
  const kinds = kindsOf(url, key);
  const result: LoadResult = { received: [], failed: [], rate: 0 };
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let started = 0;
  let due = 0;
  let tickedAt = startedAt;

  function call(): void {
    const send = kinds[started % kinds.length];
    started += 1;
    const done = send?.(`text number ${started} of ${startedAt}`).then(
      (id) => void result.received.push(id),
      (error: unknown) => void result.failed.push({ status: statusOf(error), message: String(error) }),
    );
    if (done === undefined) return;
    running.add(done);
    void done.then(() => running.delete(done));
  }

  const timer = setInterval(() => {
    const now = performance.now();
    due = Math.min(MAX_IN_FLIGHT, due + ((now - tickedAt) * perSecond) / 1_000);
    tickedAt = now;
    for (; due >= 1 && running.size < MAX_IN_FLIGHT; due -= 1) call();
  }, TICK_MS);

  return {
    result,
    async stop() {
      clearInterval(timer);
      result.rate = (started * 1_000) / (performance.now() - startedAt);
      await Promise.all(running);
      return result;
    },
  };
}
