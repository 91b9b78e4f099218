"use client";

import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { meansOf, type PeakMeter, SAMPLE_RATE } from "@/lib/client/speech-pcm";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { type Surface, useCanvas } from "../charts/use-canvas";
import { cn } from "../ui/class-names";
import { lazyPart } from "../ui/lazy-part";
import { barCount, drawBars } from "./draw-bars";
import { PlayedPeaks } from "./peaks-canvas";
import { clock } from "./play-clock";

const TakeWave = lazyPart(() => import("./take-wave"));

/** The waveform of an arriving or finished take, with a slider over it to seek. */
export function Waveform({
  player,
  state,
  samples,
  meter,
  expectedSeconds,
  audio,
}: {
  player: SpeechPlayer;
  state: PlayerState;
  /** Samples of the finished take; null while it arrives. */
  samples: Int16Array | null;
  meter: PeakMeter | null;
  expectedSeconds: number;
  audio: HTMLAudioElement | null;
}) {
  const [drawn, setDrawn] = useState<Int16Array | null>(null);
  const showDrawn = useCallback(() => setDrawn(samples), [samples]);
  const usesWavesurfer = samples !== null && audio !== null && state.source === "element";
  const isDrawn = usesWavesurfer && drawn === samples;
  return (
    <div className="relative h-20 rounded-sm focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-ink sm:h-24">
      {samples === null && meter ? (
        <ArrivingWave meter={meter} expectedSeconds={expectedSeconds} player={player} />
      ) : null}
      {samples && !isDrawn ? <PlayedPeaks samples={samples} player={player} state={state} /> : null}
      {usesWavesurfer ? (
        <div className={cn("absolute inset-0", !isDrawn && "opacity-0")}>
          <TakeWave samples={samples} audio={audio} onReady={showDrawn} />
        </div>
      ) : null}
      <SeekSlider player={player} state={state} />
    </div>
  );
}

/**
 * The waveform of an arriving take, filling from the left. `expectedSeconds` is its estimated duration: the bars do
 * not move until the take becomes longer than that.
 */
function ArrivingWave({
  meter,
  expectedSeconds,
  player,
}: {
  meter: PeakMeter;
  expectedSeconds: number;
  player: SpeechPlayer;
}) {
  const paint = useCallback(
    (surface: Surface) => {
      const seconds = (meter.peaks.length * meter.span) / SAMPLE_RATE;
      const totalSeconds = Math.max(seconds, expectedSeconds);
      const bars = Math.max(1, Math.round((barCount(surface.width) * seconds) / totalSeconds));
      const peaks = meter.peaks.length === 0 ? [] : meansOf(meter.peaks, bars);
      drawBars(surface, peaks, player.position() / totalSeconds);
    },
    [meter, expectedSeconds, player],
  );
  const { canvas } = useCanvas(paint, { isLive: true });
  return (
    <div aria-hidden="true" className="h-full w-full">
      <canvas ref={canvas} className="block h-full w-full" />
    </div>
  );
}

/** Seconds by which an arrow key moves the position, without and with Shift. */
const SEEK_STEP = { plain: 1, shift: 5 };
const SEEK_DIRECTIONS = new Map([
  ["ArrowRight", 1],
  ["ArrowUp", 1],
  ["ArrowLeft", -1],
  ["ArrowDown", -1],
]);

/** An invisible slider over the waveform, for pointers, arrow keys and screen readers. */
function SeekSlider({ player, state }: { player: SpeechPlayer; state: PlayerState }) {
  const t = useTranslations("speech.player");
  const slider = useRef<HTMLInputElement>(null);
  const { duration, isPlaying } = state;

  const show = useCallback(
    (hasText: boolean) => {
      const target = slider.current;
      if (!target) return;
      target.value = String(player.position());
      if (hasText)
        target.setAttribute(
          "aria-valuetext",
          t("position", { position: clock(player.position()), duration: clock(duration) }),
        );
    },
    [player, duration, t],
  );
  useEffect(() => {
    // During playback, the text of a focused slider stays unchanged: screen readers would read each change.
    const follow = () => show(!isPlaying || document.activeElement !== slider.current);
    follow();
    if (!isPlaying) return;
    const timer = setInterval(follow, 250);
    return () => clearInterval(timer);
  }, [show, isPlaying]);

  const seek = (seconds: number) => {
    player.seek(seconds);
    show(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = SEEK_DIRECTIONS.get(event.key);
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    seek(player.position() + direction * (event.shiftKey ? SEEK_STEP.shift : SEEK_STEP.plain));
  };

  return (
    <input
      ref={slider}
      type="range"
      aria-label={t("seek")}
      min={0}
      max={duration || 1}
      step={0.05}
      defaultValue={0}
      disabled={duration === 0}
      onChange={(event) => seek(event.currentTarget.valueAsNumber)}
      onKeyDown={onKeyDown}
      className="seek-slider absolute inset-0 h-full w-full cursor-pointer opacity-0 disabled:cursor-default"
    />
  );
}
