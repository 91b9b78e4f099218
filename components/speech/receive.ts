import type { Take } from "@/components/speech/history";
import type { SpeechCall } from "@/lib/client/speech-call";
import { durationMsOf, joinSamples } from "@/lib/client/speech-pcm";

/** The reader of streamed replies, loaded with the first call. */
export const loadStream = () => import("@/components/speech/stream");

/** What has arrived of a call. */
export interface Progress {
  /** When the request was sent, a time of `performance.now()`. */
  startedAt: number;
  chunks: Int16Array<ArrayBuffer>[];
  firstAudioMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  /** Ours from when the request is sent, so that the log of a call stopped before its reply can be found. */
  requestId: string | null;
}

interface Listeners {
  onOpen(ignored: string | null): void;
  onFirstAudio(firstAudioMs: number): void;
  onAudio(samples: Int16Array<ArrayBuffer>): void;
}

export const noProgress = (): Progress => ({
  startedAt: performance.now(),
  chunks: [],
  firstAudioMs: null,
  inputTokens: null,
  outputTokens: null,
  channel: null,
  requestId: null,
});

/** Letters and digits. `crypto.randomUUID` is missing on plain HTTP, such as a console on the LAN. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
}

/** The take of what has arrived; null without audio. */
export function takeOf(
  { chunks, startedAt, ...facts }: Progress,
  base: Pick<Take, "userId" | "call" | "state">,
): Take | null {
  const samples = joinSamples(chunks);
  if (samples.length === 0) return null;
  return {
    id: newId(),
    createdAt: Date.now(),
    samples,
    durationMs: durationMsOf(samples),
    totalMs: performance.now() - startedAt,
    ...base,
    ...facts,
  };
}

/** Sends a call and receives its stream into `progress`. */
export async function receive(
  call: SpeechCall,
  options: { key: string; signal: AbortSignal; isUncached?: boolean },
  progress: Progress,
  listeners: Listeners,
): Promise<void> {
  const { streamSpeech } = await loadStream();
  const requestId = newId();
  progress.startedAt = performance.now();
  progress.requestId = requestId;
  for await (const event of streamSpeech(call, { ...options, requestId })) {
    switch (event.type) {
      case "open":
        progress.channel = event.channel;
        progress.requestId = event.requestId;
        listeners.onOpen(event.ignored);
        break;
      case "audio":
        if (progress.firstAudioMs === null) {
          progress.firstAudioMs = performance.now() - progress.startedAt;
          listeners.onFirstAudio(progress.firstAudioMs);
        }
        progress.chunks.push(event.samples);
        listeners.onAudio(event.samples);
        break;
      case "end":
        progress.inputTokens = event.inputTokens;
        progress.outputTokens = event.outputTokens;
    }
  }
}
