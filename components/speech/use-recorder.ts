"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { newTakeId, type Take } from "@/components/speech/history";
import { streamSpeech } from "@/components/speech/stream";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { SpeechCall } from "@/lib/client/speech-call";
import { durationMsOf, joinSamples, PeakMeter } from "@/lib/client/speech-pcm";
import type { SpeechPlayer } from "@/lib/client/speech-player";

/** The state of the newest call. */
export type Recording =
  | { kind: "idle" }
  | { kind: "calling" }
  | { kind: "arriving"; firstAudioMs: number }
  | { kind: "done"; take: Take }
  | { kind: "failed"; failure: GatewayFailure };

/** What has arrived of a call. */
interface Progress {
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

/** Receives the stream of a call into `progress`. `startedAt` is a time of `performance.now()`. */
async function receive(
  call: SpeechCall,
  options: { key: string; signal: AbortSignal; startedAt: number },
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

/** Records one take at a time: sends the call, plays the audio as it arrives and reports the finished take. */
export function useRecorder({
  player,
  userId,
  onTake,
}: {
  player: SpeechPlayer;
  userId: string;
  onTake(take: Take): void;
}) {
  const [recording, setRecording] = useState<Recording>({ kind: "idle" });
  const [meter, setMeter] = useState<PeakMeter | null>(null);
  const [ignored, setIgnored] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  const stop = useCallback(() => running.current?.abort(), []);

  /** Ends a call with what arrived of it: a take, or only the failure. */
  const finish = useCallback(
    (progress: Progress, failure: GatewayFailure | null, base: Pick<Take, "call" | "state" | "totalMs">) => {
      const { chunks, ...facts } = progress;
      const samples = joinSamples(chunks);
      if (samples.length === 0) {
        player.clear();
        setMeter(null);
        setRecording(failure ? { kind: "failed", failure } : { kind: "idle" });
        return;
      }
      if (base.state === "stopped") player.pause();
      player.finish(samples);
      const take: Take = {
        id: newTakeId(),
        userId,
        createdAt: Date.now(),
        samples,
        durationMs: durationMsOf(samples),
        ...base,
        ...facts,
      };
      onTake(take);
      setRecording(failure ? { kind: "failed", failure } : { kind: "done", take });
    },
    [player, userId, onTake],
  );

  const record = useCallback(
    async (call: SpeechCall) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      const startedAt = performance.now();
      const progress: Progress = {
        chunks: [],
        firstAudioMs: null,
        inputTokens: null,
        outputTokens: null,
        channel: null,
        requestId: null,
      };
      const peaks = new PeakMeter();
      setMeter(peaks);
      setIgnored(null);
      setRecording({ kind: "calling" });
      // Before the first await, in the user's own click or key press: browsers allow audio to start only there.
      player.begin();

      let failure: GatewayFailure | null = null;
      try {
        await withPlaygroundKey((key) =>
          receive(call, { key, signal: abort.signal, startedAt }, progress, {
            onOpen: setIgnored,
            onFirstAudio: (firstAudioMs) => setRecording({ kind: "arriving", firstAudioMs }),
            onAudio: (samples) => {
              peaks.push(samples);
              player.push(samples);
            },
          }),
        );
      } catch (error) {
        if (!abort.signal.aborted) failure = failureOfError(error);
      }
      // A newer call owns the player and the page now.
      if (running.current !== abort) return;
      running.current = null;
      const state = abort.signal.aborted ? "stopped" : failure ? "cut" : "complete";
      finish(progress, failure, { call, state, totalMs: performance.now() - startedAt });
    },
    [player, finish],
  );

  const isRunning = recording.kind === "calling" || recording.kind === "arriving";
  return { recording, isRunning, meter, ignored, record, stop };
}
