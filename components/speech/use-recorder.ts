"use client";

import { useEffect, useRef, useState } from "react";
import type { Take } from "@/components/speech/history";
import { receive } from "@/components/speech/receive";
import type { GatewayFailure } from "@/lib/client/gateway-error";
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

  const record = async (call: SpeechCall) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const peaks = new PeakMeter();
    setMeter(peaks);
    setIgnored(null);
    setRecording({ kind: "calling" });
    // Before the first await, in the user's own click or key press: browsers allow audio to start only there.
    player.begin();

    const { take, failure, requestId } = await receive(call, {
      userId,
      signal: abort.signal,
      onOpen: setIgnored,
      onFirstAudio: (firstAudioMs) => setRecording({ kind: "arriving", firstAudioMs }),
      onAudio: (samples) => {
        peaks.push(samples);
        player.push(samples);
      },
    });
    // A newer call owns the player and the page now.
    if (running.current !== abort) return;
    running.current = null;
    if (take === null) {
      player.clear();
      setMeter(null);
    } else {
      if (take.state === "stopped") player.pause();
      player.finish(take.samples);
      onTake(take);
    }
    if (failure) setRecording({ kind: "failed", failure });
    else setRecording(take ? { kind: "done", take } : { kind: "silent", requestId });
  };

  const isRunning = recording.kind === "calling" || recording.kind === "arriving";
  return { recording, isRunning, meter, ignored, record, stop: () => running.current?.abort() };
}
