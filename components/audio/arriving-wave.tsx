"use client";

import { useEffect, useRef } from "react";
import { meansOf, type PeakMeter, SAMPLE_RATE } from "@/lib/client/speech-pcm";
import { themeColor } from "../charts/theme-color";
import { barCount, drawBars } from "./draw-bars";

/**
 * The waveform of an arriving take, filling from the left. `expectedSeconds` is its estimated duration: the bars do
 * not move until the take becomes longer than that.
 */
export function ArrivingWave({
  meter,
  expectedSeconds,
  position,
}: {
  meter: PeakMeter;
  expectedSeconds: number;
  position(): number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const target = canvas.current;
      if (!target) return;
      const seconds = (meter.peaks.length * meter.span) / SAMPLE_RATE;
      const totalSeconds = Math.max(seconds, expectedSeconds);
      const bars = Math.max(1, Math.round((barCount(target.clientWidth) * seconds) / totalSeconds));
      drawBars(target, meter.peaks.length === 0 ? [] : meansOf(meter.peaks, bars), {
        rest: themeColor(target, "--line-strong"),
        played: themeColor(target, "--signal"),
        progress: position() / totalSeconds,
      });
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [meter, expectedSeconds, position]);

  return (
    <div aria-hidden="true" className="h-full w-full">
      <canvas ref={canvas} className="block h-full w-full" />
    </div>
  );
}
