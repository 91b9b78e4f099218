"use client";

import { useCallback, useMemo } from "react";
import { waveformBars } from "@/lib/client/speech-pcm";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { type Surface, useCanvas } from "../charts/use-canvas";
import { barCount, drawBars } from "./draw-bars";

/** A static waveform of finished samples; while `isLive`, `progress()` (0–1) is read on every frame. */
export function PeaksCanvas({
  samples,
  isLive,
  progress,
}: {
  samples: Int16Array;
  isLive: boolean;
  progress(): number;
}) {
  const paint = useMemo(() => {
    let peaks = new Float32Array();
    return (surface: Surface) => {
      const bars = barCount(surface.width);
      if (peaks.length !== bars) peaks = waveformBars(samples, bars);
      drawBars(surface, peaks, progress());
    };
  }, [samples, progress]);
  const { canvas } = useCanvas(paint, { isLive });
  return (
    <div aria-hidden="true" className="h-full w-full">
      <canvas ref={canvas} className="block h-full w-full" />
    </div>
  );
}

/** The waveform of samples with their progress. `state`: the player's while it has these samples loaded, else null. */
export function PlayedPeaks({
  samples,
  player,
  state,
}: {
  samples: Int16Array;
  player: SpeechPlayer;
  state: PlayerState | null;
}) {
  const duration = state?.duration ?? 0;
  const progress = useCallback(() => (duration > 0 ? player.position() / duration : 0), [player, duration]);
  return <PeaksCanvas samples={samples} isLive={state?.isPlaying === true} progress={progress} />;
}
