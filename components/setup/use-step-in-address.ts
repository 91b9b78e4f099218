"use client";

import { useSearchParams } from "next/navigation";

/** The step the address names; each step is an entry of the history, so Back goes one step back. */
export function useStepParam(): [string | null, (step: string) => void] {
  const query = useSearchParams();
  const go = (step: string) => {
    window.history.pushState(null, "", `/setup?step=${step}`);
    window.scrollTo({ top: 0 });
  };
  return [query.get("step"), go];
}
