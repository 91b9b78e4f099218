"use client";

import { useEffect, useRef } from "react";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { clock } from "./clock";

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
