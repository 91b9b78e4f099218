import { newTakeId, type Take } from "@/components/speech/history";
import { streamSpeech } from "@/components/speech/stream";
import type { SpeechCall } from "@/lib/client/speech-call";
import { durationMsOf, joinSamples } from "@/lib/client/speech-pcm";

/** What has arrived of a call. */
export interface Progress {
  chunks: Int16Array<ArrayBuffer>[];
  firstAudioMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  requestId: string | null;
}

interface Listeners {
  onOpen(ignored: string | null): void;
  onFirstAudio(firstAudioMs: number): void;
  onAudio(samples: Int16Array<ArrayBuffer>): void;
}

export const noProgress = (): Progress => ({
  chunks: [],
  firstAudioMs: null,
  inputTokens: null,
  outputTokens: null,
  channel: null,
  requestId: null,
});

/** The take of what has arrived; null without audio. */
export function takeOf(
  { chunks, ...facts }: Progress,
  base: Pick<Take, "userId" | "call" | "state" | "totalMs">,
): Take | null {
  const samples = joinSamples(chunks);
  if (samples.length === 0) return null;
  return {
    id: newTakeId(),
    createdAt: Date.now(),
    samples,
    durationMs: durationMsOf(samples),
    ...base,
    ...facts,
  };
}

/** Receives the stream of a call into `progress`. `startedAt` is a time of `performance.now()`. */
export async function receive(
  call: SpeechCall,
  options: { key: string; signal: AbortSignal; isUncached?: boolean; startedAt: number },
  progress: Progress,
  listeners: Listeners,
): Promise<void> {
  for await (const event of streamSpeech(call, options)) {
    switch (event.type) {
      case "open":
        progress.channel = event.channel;
        progress.requestId = event.requestId;
        listeners.onOpen(event.ignored);
        break;
      case "audio":
        if (progress.firstAudioMs === null) {
          progress.firstAudioMs = performance.now() - options.startedAt;
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
