import type { Take } from "@/components/speech/history";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { SpeechCall } from "@/lib/client/speech-call";
import { durationMsOf, joinSamples } from "@/lib/client/speech-pcm";

/** The reader of streamed replies, loaded with the first call. */
export const loadStream = () => import("@/components/speech/stream");

/** What has arrived of a call. */
interface Progress
  extends Pick<Take, "firstAudioMs" | "inputTokens" | "outputTokens" | "channel" | "requestId" | "isCached"> {
  /** When the request was sent, a time of `performance.now()`. */
  startedAt: number;
  chunks: Int16Array<ArrayBuffer>[];
}

interface ReceiveOptions {
  userId: string;
  signal: AbortSignal;
  isUncached?: boolean;
  onOpen?(ignored: string | null): void;
  onFirstAudio(firstAudioMs: number): void;
  onAudio?(samples: Int16Array<ArrayBuffer>): void;
}

/** Letters and digits. `crypto.randomUUID` is missing on plain HTTP, such as a console on the LAN. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
}

async function readStream(
  call: SpeechCall,
  key: string,
  options: ReceiveOptions,
  progress: Progress,
): Promise<void> {
  const { streamSpeech } = await loadStream();
  const { signal, isUncached } = options;
  const requestId = newId();
  progress.startedAt = performance.now();
  progress.requestId = requestId;
  for await (const event of streamSpeech(call, { key, signal, isUncached, requestId })) {
    switch (event.type) {
      case "open":
        progress.channel = event.channel;
        progress.requestId = event.requestId;
        progress.isCached = event.isCached;
        options.onOpen?.(event.ignored);
        break;
      case "audio":
        if (progress.firstAudioMs === null) {
          progress.firstAudioMs = performance.now() - progress.startedAt;
          options.onFirstAudio(progress.firstAudioMs);
        }
        progress.chunks.push(event.samples);
        options.onAudio?.(event.samples);
        break;
      case "end":
        progress.inputTokens = event.inputTokens;
        progress.outputTokens = event.outputTokens;
    }
  }
}

interface Received {
  /** What has arrived; null without audio. */
  take: Take | null;
  /** Null where the call succeeded or was stopped. */
  failure: GatewayFailure | null;
  /** The ID that the page sends, then that of the reply. It finds the log of a call stopped before its reply. */
  requestId: string | null;
}

/** Sends a call with the playground key and receives its audio. Never throws. */
export async function receive(call: SpeechCall, options: ReceiveOptions): Promise<Received> {
  const { userId, signal } = options;
  const progress: Progress = {
    startedAt: performance.now(),
    chunks: [],
    firstAudioMs: null,
    inputTokens: null,
    outputTokens: null,
    channel: null,
    requestId: null,
    isCached: false,
  };
  let failure: GatewayFailure | null = null;
  try {
    await withPlaygroundKey((key) => readStream(call, key, options, progress));
  } catch (error) {
    if (!signal.aborted) failure = failureOfError(error);
  }
  const { chunks, startedAt, ...facts } = progress;
  const samples = joinSamples(chunks);
  const take: Take = {
    id: newId(),
    userId,
    createdAt: Date.now(),
    call,
    samples,
    state: signal.aborted ? "stopped" : failure ? "cut" : "complete",
    durationMs: durationMsOf(samples),
    totalMs: performance.now() - startedAt,
    ...facts,
  };
  return { take: samples.length === 0 ? null : take, failure, requestId: progress.requestId };
}
