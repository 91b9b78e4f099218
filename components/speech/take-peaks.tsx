"use client";

import { useCallback } from "react";
import type { Take } from "@/components/speech/history";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { PeaksCanvas } from "../audio/peaks-canvas";

/** The waveform of a take with its progress. `state` is the player's where the take is loaded in it, else null. */
export function TakePeaks({
  take,
  player,
  state,
}: {
  take: Take;
  player: SpeechPlayer;
  state: PlayerState | null;
}) {
  const duration = state?.duration ?? 0;
  const progress = useCallback(() => (duration > 0 ? player.position() / duration : 0), [player, duration]);
  return <PeaksCanvas samples={take.samples} isLive={state?.isPlaying === true} progress={progress} />;
}
