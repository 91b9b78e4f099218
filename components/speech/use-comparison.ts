"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Take } from "@/components/speech/history";
import { noProgress, receive, takeOf } from "@/components/speech/receive";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { SpeechCall } from "@/lib/client/speech-call";
import type { Candidate } from "./candidates";

/** The state of one voice of a comparison. */
export type Trial = { candidate: Candidate; call: SpeechCall } & (
  | { kind: "waiting" }
  | { kind: "calling" }
  | { kind: "arriving"; firstAudioMs: number }
  | { kind: "done"; take: Take }
  | { kind: "stopped" }
  | { kind: "failed"; failure: GatewayFailure }
);

const isRunning = ({ kind }: Trial) => kind === "waiting" || kind === "calling" || kind === "arriving";

/**
 * The complete takes of finished trials, null for the others; none while a trial is running, since it may still be the
 * fastest or the cheapest.
 */
export function takesToRank(trials: readonly Trial[]): (Take | null)[] {
  if (trials.some(isRunning)) return [];
  return trials.map((one) => (one.kind === "done" && one.take.state === "complete" ? one.take : null));
}

/** The state of a trial without what identifies it. */
type Outcome = Trial extends infer One
  ? One extends Trial
    ? Omit<One, "candidate" | "call">
    : never
  : never;

/**
 * Speaks one text in several voices, one call after another, so that no call slows down the measured times of another.
 * The gateway's cache is bypassed for the same reason. Every finished take is reported.
 */
export function useComparison({ userId, onTake }: { userId: string; onTake(take: Take): void }) {
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  const stop = useCallback(() => running.current?.abort(), []);

  /** Runs the calls at these indexes of `all`. */
  const runAt = useCallback(
    async (all: readonly Trial[], indexes: readonly number[]) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      setRunning(true);
      setTrials(all);
      for (const at of indexes) {
        const trial = all[at];
        if (!trial || running.current !== abort) continue;
        const show = (outcome: Outcome) => {
          if (running.current !== abort) return;
          const { candidate, call } = trial;
          // The parts of one trial: TypeScript does not join an omitted union again.
          const shown = { candidate, call, ...outcome } as Trial;
          setTrials((now) => now.map((one, index) => (index === at ? shown : one)));
        };
        if (abort.signal.aborted) show({ kind: "stopped" });
        else await runTrial(trial.call, { userId, signal: abort.signal, show, onTake });
      }
      if (running.current !== abort) return;
      running.current = null;
      setRunning(false);
    },
    [userId, onTake],
  );

  const run = useCallback(
    (calls: readonly { candidate: Candidate; call: SpeechCall }[]) =>
      runAt(
        calls.map((one) => ({ ...one, kind: "waiting" })),
        calls.map((_, at) => at),
      ),
    [runAt],
  );

  return { trials, isRunning, run, stop, retry: (at: number) => void runAt(trials, [at]) };
}

/** Makes one call and shows its progress. Never throws. */
async function runTrial(
  call: SpeechCall,
  options: {
    userId: string;
    signal: AbortSignal;
    show(outcome: Outcome): void;
    onTake(take: Take): void;
  },
): Promise<void> {
  const { userId, signal, show, onTake } = options;
  const progress = noProgress();
  show({ kind: "calling" });
  let failure: GatewayFailure | null = null;
  try {
    await withPlaygroundKey((key) =>
      receive(call, { key, signal, isUncached: true }, progress, {
        onOpen: () => undefined,
        onFirstAudio: (firstAudioMs) => show({ kind: "arriving", firstAudioMs }),
        onAudio: () => undefined,
      }),
    );
  } catch (error) {
    if (!signal.aborted) failure = failureOfError(error);
  }
  const state = signal.aborted ? "stopped" : failure ? "cut" : "complete";
  const take = takeOf(progress, { userId, call, state });
  if (take !== null) onTake(take);
  if (failure !== null) show({ kind: "failed", failure });
  else show(take === null ? { kind: "stopped" } : { kind: "done", take });
}
