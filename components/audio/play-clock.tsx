"use client";

import { useEffect, useRef } from "react";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";

/** Formats seconds as `0:07.3` or `12:40.0`. */
export function clock(seconds: number): string {
  const tenths = Math.round(Math.max(0, Number.isFinite(seconds) ? seconds : 0) * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${minutes}:${rest}`;
}

/** Position and duration of the take. Updates the DOM directly ten times a second, without rendering. */
export function PlayClock({ player, state }: { player: SpeechPlayer; state: PlayerState }) {
  const text = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const show = () => {
      if (text.current) text.current.textContent = clock(player.position());
    };
    show();
    const timer = setInterval(show, 100);
    return () => clearInterval(timer);
  }, [player]);

  return (
    <span className="tabular whitespace-nowrap font-mono text-sm text-ink-muted">
      <span ref={text}>{clock(0)}</span> / {clock(state.duration)}
    </span>
  );
}
