"use client";

import { useEffect, useRef } from "react";
import WaveSurfer from "wavesurfer.js";
import { SAMPLE_RATE, waveformBars } from "@/lib/client/speech-pcm";
import { onThemeChange, themeColor } from "../charts/theme-color";
import { BAR_GAP, BAR_WIDTH, barCount } from "./draw-bars";

/** The waveform of a finished take, drawn by wavesurfer.js for the page's audio element. Loaded on demand. */
export default function TakeWave({
  samples,
  audio,
  onReady,
}: {
  samples: Int16Array;
  audio: HTMLAudioElement;
  onReady(): void;
}) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const container = box.current;
    if (!container) return;
    const colors = () => ({
      waveColor: themeColor(container, "--line-strong"),
      progressColor: themeColor(container, "--signal"),
      cursorColor: themeColor(container, "--ink"),
    });
    const wave = WaveSurfer.create({
      container,
      media: audio,
      height: "auto",
      barWidth: BAR_WIDTH,
      barGap: BAR_GAP,
      barRadius: 1,
      barMinHeight: 2,
      cursorWidth: 1,
      normalize: true,
      // The slider above the waveform handles pointer and keys.
      interact: false,
      hideScrollbar: true,
      peaks: [waveformBars(samples, barCount(container.clientWidth))],
      duration: samples.length / SAMPLE_RATE,
      ...colors(),
    });
    wave.on("ready", onReady);
    const endTheme = onThemeChange(() => wave.setOptions(colors()));
    return () => {
      endTheme();
      wave.destroy();
    };
  }, [samples, audio, onReady]);

  return <div ref={box} aria-hidden="true" className="h-full w-full" />;
}
