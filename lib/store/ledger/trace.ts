import type { AttemptTrace, CallTrace } from "../../ports/store";
import { fromJson } from "../columns";

/** First in every text, so that another form can be told from this one. */
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

/** Lists in place of names: a row is written for every call, and mostly holds one good attempt. */
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

/** Null for a row that has none, or one of a form not known here. */
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
