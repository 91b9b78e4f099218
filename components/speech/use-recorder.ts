"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { newTakeId, type Take } from "@/components/speech/history";
import { streamSpeech } from "@/components/speech/stream";
import { failureFrom, type GatewayFailure } from "@/lib/client/gateway-error";
import type { SpeechCall } from "@/lib/client/speech-call";
import { durationMsOf, joinSamples, PeakMeter } from "@/lib/client/speech-pcm";
import type { TakePlayer } from "@/lib/client/speech-player";
import { withPlaygroundKey } from "@/lib/client/with-playground-key";

/** What is going on with the newest call. */
export type Recording =
  | { kind: "idle" }
  | { kind: "calling" }
  | { kind: "arriving"; firstSoundMs: number }
  | { kind: "done"; take: Take }
  | { kind: "failed"; failure: GatewayFailure };

interface Progress {
  chunks: Int16Array<ArrayBuffer>[];
  firstSoundMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  requestId: string | null;
  ignored: string | null;
}

const NOTHING: Omit<Progress, "chunks"> = {
  firstSoundMs: null,
  inputTokens: null,
  outputTokens: null,
  channel: null,
  requestId: null,
  ignored: null,
};

/** Makes one take at a time: calls, plays what arrives, and hands the finished take on. */
export function useRecorder({
  player,
  userId,
  onTake,
}: {
  player: TakePlayer;
  userId: string;
  onTake(take: Take): void;
}) {
  const [recording, setRecording] = useState<Recording>({ kind: "idle" });
  const [meter, setMeter] = useState<PeakMeter | null>(null);
  const [ignored, setIgnored] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  const stop = useCallback(() => running.current?.abort(), []);

  const record = useCallback(
    async (call: SpeechCall) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      const startedAt = performance.now();
      const progress: Progress = { ...NOTHING, chunks: [] };
      const peaks = new PeakMeter();
      setMeter(peaks);
      setIgnored(null);
      setRecording({ kind: "calling" });
      // In the press itself: browsers let sound begin only there.
      player.begin();

      const run = async (key: string) => {
        for await (const event of streamSpeech(call, { key, signal: abort.signal })) {
          if (event.type === "open") {
            Object.assign(progress, { channel: event.channel, requestId: event.requestId });
            setIgnored(event.ignored);
          } else if (event.type === "audio") {
            if (progress.firstSoundMs === null) {
              progress.firstSoundMs = performance.now() - startedAt;
              setRecording({ kind: "arriving", firstSoundMs: progress.firstSoundMs });
            }
            progress.chunks.push(event.samples);
            peaks.push(event.samples);
            player.push(event.samples);
          } else {
            progress.inputTokens = event.inputTokens;
            progress.outputTokens = event.outputTokens;
          }
        }
      };

      let failure: GatewayFailure | null = null;
      try {
        await withPlaygroundKey(run);
      } catch (error) {
        if (!abort.signal.aborted) failure = failureFrom(error);
      }
      // A newer call has taken over the player and the page.
      if (running.current !== abort) return;
      running.current = null;

      const samples = joinSamples(progress.chunks);
      if (samples.length === 0) {
        player.clear();
        setMeter(null);
        setRecording(failure ? { kind: "failed", failure } : { kind: "idle" });
        return;
      }
      if (abort.signal.aborted) player.pause();
      player.finish(samples);
      const { chunks: _, ignored: __, ...facts } = progress;
      const take: Take = {
        id: newTakeId(),
        userId,
        createdAt: Date.now(),
        call,
        samples,
        state: abort.signal.aborted ? "stopped" : failure ? "cut" : "whole",
        durationMs: durationMsOf(samples),
        totalMs: performance.now() - startedAt,
        ...facts,
      };
      onTake(take);
      setRecording(failure ? { kind: "failed", failure } : { kind: "done", take });
    },
    [player, userId, onTake],
  );

  const isRunning = recording.kind === "calling" || recording.kind === "arriving";
  return { recording, isRunning, meter, ignored, record, stop };
}
