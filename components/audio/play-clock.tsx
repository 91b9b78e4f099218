"use client";

import { useEffect, useRef } from "react";
import type { PlayerState, SpeechPlayer } from "@/lib/client/speech-player";
import { clock } from "./clock";

/** Where the player is and how long the take is; written past React, ten times a second. */
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
