"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Take } from "@/components/speech/history";
import { noProgress, receive, takeOf } from "@/components/speech/receive";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { SpeechCall } from "@/lib/client/speech-call";
import { PeakMeter } from "@/lib/client/speech-pcm";
import type { SpeechPlayer } from "@/lib/client/speech-player";

/** The state of the newest call. */
export type Recording =
  | { kind: "idle" }
  /** Stopped by the user before the first audio; `requestId` null: before the request was sent. */
  | { kind: "silent"; requestId: string | null }
  | { kind: "calling" }
  | { kind: "arriving"; firstAudioMs: number }
  | { kind: "done"; take: Take }
  | { kind: "failed"; failure: GatewayFailure };

interface RecorderOptions {
  player: SpeechPlayer;
  userId: string;
  onTake(take: Take): void;
}

/** Records one take at a time: sends the call, plays the audio as it arrives and reports the finished take. */
export function useRecorder({ player, userId, onTake }: RecorderOptions) {
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
      const progress = noProgress();
      const peaks = new PeakMeter();
      setMeter(peaks);
      setIgnored(null);
      setRecording({ kind: "calling" });
      // Before the first await, in the user's own click or key press: browsers allow audio to start only there.
      player.begin();

      const failure = await failureOfCall(abort.signal, (key) =>
        receive(call, { key, signal: abort.signal }, progress, {
          onOpen: setIgnored,
          onFirstAudio: (firstAudioMs) => setRecording({ kind: "arriving", firstAudioMs }),
          onAudio: (samples) => {
            peaks.push(samples);
            player.push(samples);
          },
        }),
      );
      // A newer call owns the player and the page now.
      if (running.current !== abort) return;
      running.current = null;
      const state = abort.signal.aborted ? "stopped" : failure ? "cut" : "complete";
      const take = takeOf(progress, { userId, call, state });
      if (take === null) {
        player.clear();
        setMeter(null);
      } else {
        if (state === "stopped") player.pause();
        player.finish(take.samples);
        onTake(take);
      }
      if (failure) setRecording({ kind: "failed", failure });
      else setRecording(take ? { kind: "done", take } : { kind: "silent", requestId: progress.requestId });
    },
    [player, userId, onTake],
  );

  const isRunning = recording.kind === "calling" || recording.kind === "arriving";
  return { recording, isRunning, meter, ignored, record, stop };
}

/** The failure of a call with the playground key; null where it succeeded or was stopped. */
async function failureOfCall(
  signal: AbortSignal,
  send: (key: string) => Promise<unknown>,
): Promise<GatewayFailure | null> {
  try {
    await withPlaygroundKey(send);
    return null;
  } catch (error) {
    return signal.aborted ? null : failureOfError(error);
  }
}
