"use client";

import { type KeyboardEvent, type MouseEvent, useRef } from "react";

/** A second click, or press of Enter, within this time after the start belongs to the same gesture. */
const GESTURE_MS = 500;

/**
 * Handlers of the button that starts a run and then stops it. A click right after the start, as by a double click or a
 * held Enter, neither stops the run nor, if the run has ended already, starts another. `start` returns false where no
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
