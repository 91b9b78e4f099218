"use client";

import { useEffect, useRef, useState } from "react";
import type { Take } from "@/components/speech/history";
import { receive } from "@/components/speech/receive";
import type { GatewayFailure } from "@/lib/client/gateway-error";
import type { SpeechCall } from "@/lib/client/speech-call";
import type { Candidate } from "./candidates";

type Outcome =
  | { kind: "waiting" }
  | { kind: "calling" }
  | { kind: "arriving"; firstAudioMs: number }
  | { kind: "done"; take: Take }
  | { kind: "stopped" }
  | { kind: "failed"; failure: GatewayFailure };

/** The state of one voice of a comparison. */
export type Trial = { candidate: Candidate; call: SpeechCall } & Outcome;

const isRunning = ({ kind }: Trial) => kind === "waiting" || kind === "calling" || kind === "arriving";

/**
 * The complete take of each trial, null for trials without one. Empty while a trial is waiting or running, since it may
 * still be the fastest or the cheapest.
 */
export function takesToRank(trials: readonly Trial[]): (Take | null)[] {
  if (trials.some(isRunning)) return [];
  return trials.map((one) => (one.kind === "done" && one.take.state === "complete" ? one.take : null));
}

/**
 * Speaks one text in several voices, one call after another, so that no call slows down the measured times of another.
 * The gateway's cache is bypassed for the same reason. Every finished take is reported.
 */
export function useComparison({ userId, onTake }: { userId: string; onTake(take: Take): void }) {
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  /** Runs the calls at these indexes of `all`. */
  const runAt = async (all: readonly Trial[], indexes: readonly number[]) => {
    running.current?.abort();
    const abort = new AbortController();
    const { signal } = abort;
    running.current = abort;
    setRunning(true);
    setTrials(all);
    for (const at of indexes) {
      const trial = all[at];
      if (!trial || running.current !== abort) continue;
      const { candidate, call } = trial;
      const show = (outcome: Outcome) => {
        if (running.current !== abort) return;
        const shown: Trial = { candidate, call, ...outcome };
        setTrials((now) => now.map((one, index) => (index === at ? shown : one)));
      };
      if (signal.aborted) {
        show({ kind: "stopped" });
        continue;
      }
      show({ kind: "calling" });
      const { take, failure } = await receive(call, {
        userId,
        signal,
        isUncached: true,
        onFirstAudio: (firstAudioMs) => show({ kind: "arriving", firstAudioMs }),
      });
      if (take !== null) onTake(take);
      if (failure !== null) show({ kind: "failed", failure });
      else show(take === null ? { kind: "stopped" } : { kind: "done", take });
    }
    if (running.current !== abort) return;
    running.current = null;
    setRunning(false);
  };

  return {
    trials,
    isRunning,
    run: (calls: readonly { candidate: Candidate; call: SpeechCall }[]) =>
      runAt(
        calls.map((one) => ({ ...one, kind: "waiting" })),
        calls.map((_, at) => at),
      ),
    stop: () => running.current?.abort(),
    retry: (at: number) => void runAt(trials, [at]),
  };
}
