"use client";

import { useCallback, useState } from "react";
import type { ChannelTest } from "@/lib/contracts/console/channels";

/** What has become of the test of one model. */
export type TestState =
  | { kind: "running" }
  | { kind: "done"; test: ChannelTest }
  /** The call to Patchbay itself failed. */
  | { kind: "failed"; error: unknown };

/** Tests by the model's row, each running or done; a new one takes the old one's place. */
export function useTestCalls() {
  const [tests, setTests] = useState<ReadonlyMap<string, TestState>>(new Map());
  const note = useCallback(
    (row: string, state: TestState) => setTests((known) => new Map(known).set(row, state)),
    [],
  );
  const run = useCallback(
    async (row: string, call: () => Promise<ChannelTest>) => {
      note(row, { kind: "running" });
      try {
        note(row, { kind: "done", test: await call() });
      } catch (error) {
        note(row, { kind: "failed", error });
      }
    },
    [note],
  );
  return { tests, run };
}
