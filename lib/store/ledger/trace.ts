import type { AttemptTrace, CallTrace } from "../../ports/store";
import { fromJson } from "../columns";

/** Version number at the start of every trace. */
const FORM = 1;

type AttemptCells = [
  channelId: string,
  keyId: string | null,
  startedMs: number,
  firstByteMs: number | null,
  endedMs: number | null,
  error: string | null,
  upstreamStatus: number | null,
];
type TraceCells = [form: number, admittedMs: number, settledMs: number, attempts: AttemptCells[]];

/** Encodes a trace as lists without field names: there is one per call, mostly with one successful attempt. */
export function encodeTrace(trace: CallTrace): string {
  const attempts = trace.attempts.map(
    (one): AttemptCells => [
      one.channelId,
      one.keyId,
      one.startedMs,
      one.firstByteMs,
      one.endedMs,
      one.error,
      one.upstreamStatus,
    ],
  );
  const cells: TraceCells = [FORM, trace.admittedMs, trace.settledMs, attempts];
  return JSON.stringify(cells);
}

/** Null for an entry without a trace, or with one of an unknown version. */
export function decodeTrace(text: string | null): CallTrace | null {
  if (text === null) return null;
  const [form, admittedMs, settledMs, attempts] = fromJson<TraceCells>(text);
  if (form !== FORM) return null;
  return {
    admittedMs,
    settledMs,
    attempts: attempts.map(
      ([channelId, keyId, startedMs, firstByteMs, endedMs, error, upstreamStatus]): AttemptTrace => ({
        channelId,
        keyId,
        startedMs,
        firstByteMs,
        endedMs,
        error,
        upstreamStatus,
      }),
    ),
  };
}
