"use client";

import dynamic from "next/dynamic";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { PeakMeter } from "@/lib/client/speech-pcm";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { cn } from "../ui/class-names";
import { ArrivingWave } from "./arriving-wave";
import { clock } from "./clock";
import { PeaksCanvas } from "./peaks-canvas";

const TakeWave = dynamic(() => import("./take-wave"), { ssr: false });

/** The take as a picture one can take hold of: arriving, then whole. A slider lies over it for pointer and keys. */
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
  /** Of the finished take; null while it arrives. */
  samples: Int16Array | null;
  meter: PeakMeter | null;
  expectedSeconds: number;
  audio: HTMLAudioElement | null;
}) {
  const [drawn, setDrawn] = useState<Int16Array | null>(null);
  const position = useCallback(() => player.position(), [player]);
  const share = useCallback(
    () => (state.duration > 0 ? player.position() / state.duration : 0),
    [player, state.duration],
  );
  const showDrawn = useCallback(() => setDrawn(samples), [samples]);
  const isByWavesurfer = samples !== null && audio !== null && state.source === "element";
  const isDrawn = isByWavesurfer && drawn === samples;
  return (
    <div className="relative h-20 rounded-sm focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-ink sm:h-24">
      {samples === null && meter ? (
        <ArrivingWave meter={meter} expectedSeconds={expectedSeconds} position={position} />
      ) : null}
      {samples && !isDrawn ? (
        <PeaksCanvas samples={samples} isLive={state.isPlaying} progress={share} />
      ) : null}
      {isByWavesurfer ? (
        <div className={cn("absolute inset-0", !isDrawn && "opacity-0")}>
          <TakeWave samples={samples} audio={audio} onReady={showDrawn} />
        </div>
      ) : null}
      <SeekSlider player={player} state={state} />
    </div>
  );
}

/** An unseen slider over the picture: what a pointer, the arrow keys and a screen reader hold. */
function SeekSlider({ player, state }: { player: SpeechPlayer; state: PlayerState }) {
  const t = useTranslations("speech.deck");
  const slider = useRef<HTMLInputElement>(null);
  const { duration, isPlaying } = state;

  useEffect(() => {
    const show = () => {
      const target = slider.current;
      if (!target) return;
      target.value = String(player.position());
      target.setAttribute(
        "aria-valuetext",
        t("position", { position: clock(player.position()), duration: clock(duration) }),
      );
    };
    show();
    if (!isPlaying) return;
    const timer = setInterval(show, 250);
    return () => clearInterval(timer);
  }, [player, duration, isPlaying, t]);

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
      onChange={(event) => player.seek(event.currentTarget.valueAsNumber)}
      className="seek-slider absolute inset-0 h-full w-full cursor-pointer opacity-0 disabled:cursor-default"
    />
  );
}
