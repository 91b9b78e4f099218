"use client";

import { type KeyboardEvent, type MouseEvent, useRef } from "react";

/** The second click of a double click, or press of Enter, comes within this time. */
const GESTURE_MS = 500;

/**
 * Handlers of the button that starts a run and then stops it. A click right after the start, as by a double click or a
 * held Enter, neither stops the run nor, when that has ended already, starts another one. `start` returns false where no
 * run could begin, such as for a missing field.
 */
export function useRunButton({
  isRunning,
  start,
  stop,
}: {
  isRunning: boolean;
  start(): boolean;
  stop(): void;
}) {
  const startedAt = useRef(Number.NEGATIVE_INFINITY);
  return {
    onClick: ({ timeStamp }: MouseEvent) => {
      if (timeStamp - startedAt.current <= GESTURE_MS) return;
      if (isRunning) return stop();
      if (start()) startedAt.current = timeStamp;
    },
    // A held Enter clicks again and again.
    onKeyDown: (event: KeyboardEvent) => {
      if (event.repeat && event.key === "Enter") event.preventDefault();
    },
  };
}
