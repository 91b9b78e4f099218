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
  const run = useCallback(async (row: string, call: () => Promise<ChannelTest>) => {
    const running: TestState = { kind: "running" };
    setTests((known) => new Map(known).set(row, running));
    const ended = await call().then(
      (test): TestState => ({ kind: "done", test }),
      (error: unknown): TestState => ({ kind: "failed", error }),
    );
    // Ignores the outcome of a test that was forgotten meanwhile.
    setTests((known) => (known.get(row) === running ? new Map(known).set(row, ended) : known));
  }, []);
  /** Forgets the test of a row, or all of them. */
  const forget = useCallback(
    (row?: string) =>
      setTests((known) => new Map([...known].filter(([other]) => row !== undefined && other !== row))),
    [],
  );
  return { tests, run, forget };
}
