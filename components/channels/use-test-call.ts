"use client";

import { useCallback, useState } from "react";
import type { ChannelTest } from "@/lib/contracts/console/channels";

export type TestState =
  | { kind: "running" }
  | { kind: "done"; test: ChannelTest }
  /** The request to Patchbay failed. */
  | { kind: "failed"; error: unknown };

/** The latest test of each model row. */
export function useTestCalls() {
  const [tests, setTests] = useState<ReadonlyMap<string, TestState>>(new Map());
  const setState = useCallback(
    (row: string, state: TestState) => setTests((known) => new Map(known).set(row, state)),
    [],
  );
  const run = useCallback(
    async (row: string, call: () => Promise<ChannelTest>) => {
      setState(row, { kind: "running" });
      try {
        setState(row, { kind: "done", test: await call() });
      } catch (error) {
        setState(row, { kind: "failed", error });
      }
    },
    [setState],
  );
  return { tests, run };
}
