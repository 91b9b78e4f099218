"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { PeaksCanvas } from "../audio/peaks-canvas";
import { Button } from "../ui/button";

export interface Sound {
  url: string;
  samples: Int16Array;
  durationMs: number;
  tookMs: number;
}

/** Plays the audio with a waveform that shows progress. Starts automatically if the browser allows it. */
export function SoundPlayer({ sound }: { sound: Sound }) {
  const t = useTranslations("setup.sound");
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const play = useCallback(() => {
    audio.current?.play().then(
      () => setBlocked(false),
      () => setBlocked(true),
    );
  }, []);
  const progress = useCallback(() => {
    const { currentTime = 0, duration = 0 } = audio.current ?? {};
    return duration > 0 ? currentTime / duration : 0;
  }, []);

  // Starts once the <audio> element has the new source.
  useEffect(() => {
    if (sound.url) play();
  }, [sound.url, play]);

  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-4 rounded-md border bg-panel p-3">
        <Button
          variant="signal"
          size="icon"
          className="size-11 rounded-full"
          aria-label={isPlaying ? t("pause") : t("playAgain")}
          onClick={() => (isPlaying ? audio.current?.pause() : play())}
        >
          {isPlaying ? <PauseIcon className="fill-current" /> : <PlayIcon className="fill-current" />}
        </Button>
        <div className="h-14 min-w-0 flex-1">
          <PeaksCanvas samples={sound.samples} isLive={isPlaying} progress={progress} />
        </div>
        {/* biome-ignore lint/a11y/useMediaCaption: the spoken text is in the field above */}
        <audio
          ref={audio}
          src={sound.url}
          aria-label={t("player")}
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onEnded={() => setPlaying(false)}
        />
      </div>
      {isBlocked ? (
        <p role="status" className="text-sm text-ink-muted">
          {t("blocked")}
        </p>
      ) : null}
    </div>
  );
}
