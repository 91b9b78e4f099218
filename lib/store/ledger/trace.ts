import type { AttemptTrace, CallTrace, SkippedChannel } from "../../ports/store";
import { fromJson, storable } from "../columns";

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
  message?: string,
];
/** The mark keeps a search for the attempts on a channel (entries.ts) from finding the ID. */
const SKIPPED_MARK = "-";
type SkippedCells = [
  markedId: string,
  reason: SkippedChannel["reason"],
  openedAt: number | null,
  opened: SkippedChannel["opened"],
];
type TraceCells = [
  form: number,
  admittedMs: number,
  settledMs: number,
  attempts: AttemptCells[],
  skipped?: SkippedCells[],
];

/** Encodes a trace as lists without field names: there is one per call, mostly with one successful attempt. */
export function encodeTrace(trace: CallTrace): string {
  const attempts = trace.attempts.map((one): AttemptCells => {
    const cells: AttemptCells = [
      one.channelId,
      one.keyId,
      one.startedMs,
      one.firstByteMs,
      one.endedMs,
      one.error,
      one.upstreamStatus,
    ];
    if (one.message !== null) cells.push(storable(one.message));
    return cells;
  });
  const cells: TraceCells = [FORM, trace.admittedMs, trace.settledMs, attempts];
  if (trace.skipped !== undefined && trace.skipped.length > 0) {
    cells.push(
      trace.skipped.map((one) => [SKIPPED_MARK + one.channelId, one.reason, one.openedAt, one.opened]),
    );
  }
  return JSON.stringify(cells);
}

/** Null for an entry without a trace, or with one of an unknown version. */
export function decodeTrace(text: string | null): CallTrace | null {
  if (text === null) return null;
  const [form, admittedMs, settledMs, attempts, skipped] = fromJson<TraceCells>(text);
  if (form !== FORM) return null;
  return {
    admittedMs,
    settledMs,
    attempts: attempts.map(
      ([
        channelId,
        keyId,
        startedMs,
        firstByteMs,
        endedMs,
        error,
        upstreamStatus,
        message,
      ]): AttemptTrace => ({
        channelId,
        keyId,
        startedMs,
        firstByteMs,
        endedMs,
        error,
        upstreamStatus,
        message: message ?? null,
      }),
    ),
    ...(skipped === undefined
      ? {}
      : {
          skipped: skipped.map(
            ([markedId, reason, openedAt, opened]): SkippedChannel => ({
              channelId: markedId.slice(SKIPPED_MARK.length),
              reason,
              openedAt,
              opened,
            }),
          ),
        }),
  };
}
