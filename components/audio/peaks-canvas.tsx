"use client";

import { useCallback, useEffect, useRef } from "react";
import { waveformBars } from "@/lib/client/speech-pcm";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { onThemeChange, themeColor } from "../charts/theme-color";
import { barCount, drawBars } from "./draw-bars";

/** A static waveform of finished samples; while `isLive`, `progress()` (0–1) is read on every frame. */
export function PeaksCanvas({
  samples,
  isLive = false,
  progress = () => 0,
}: {
  samples: Int16Array;
  isLive?: boolean;
  progress?(): number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    let peaks = new Float32Array();
    let frame = 0;
    const draw = () => {
      if (target.clientWidth === 0) return;
      const bars = barCount(target.clientWidth);
      if (peaks.length !== bars) peaks = waveformBars(samples, bars);
      drawBars(target, peaks, {
        rest: themeColor(target, "--line-strong"),
        played: themeColor(target, "--signal"),
        progress: progress(),
      });
    };
    const tick = () => {
      draw();
      if (isLive) frame = requestAnimationFrame(tick);
    };
    tick();
    const sizes = new ResizeObserver(draw);
    sizes.observe(target);
    const endTheme = onThemeChange(draw);
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      endTheme();
    };
  }, [samples, isLive, progress]);

  return (
    <div aria-hidden="true" className="h-full w-full">
      <canvas ref={canvas} className="block h-full w-full" />
    </div>
  );
}

/** The waveform of samples with their progress. `state` is the player's where they are loaded in it, else null. */
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
