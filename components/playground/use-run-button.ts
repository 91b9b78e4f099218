"use client";

import { type KeyboardEvent, type MouseEvent, useRef } from "react";

/** The second click of a double click, or press of Enter, comes within this time. */
const GESTURE_MS = 500;

/**
 * Handlers of the button that starts a run and then stops it. What comes right after the start, as by a double click or
 * a held Enter, does not stop it.
 */
export function useRunButton({
  isRunning,
  start,
  stop,
}: {
  isRunning: boolean;
  start(): void;
  stop(): void;
}) {
  const startedAt = useRef(0);
  return {
    onClick: ({ timeStamp }: MouseEvent) => {
      if (!isRunning) {
        startedAt.current = timeStamp;
        start();
      } else if (timeStamp - startedAt.current > GESTURE_MS) stop();
    },
    // A held Enter clicks again and again.
    onKeyDown: (event: KeyboardEvent) => {
      if (event.repeat) event.preventDefault();
    },
  };
}
