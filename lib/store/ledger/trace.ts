import type { UpstreamRefusal } from "../../errors";
import type { AttemptTrace, CallParameters, CallTrace, SkippedChannel } from "../../ports/store";
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
  message?: string | null,
  /** Null for an error of the upstream that refused nothing of the channel. */
  upstreamRefusal?: UpstreamRefusal | null,
];
/**
 * Begins each ID and text outside the attempts, so that a search of the encoded trace for the attempts on a channel
 * (entries.ts) does not match them.
 */
const MARK = "-";
type SkippedCells = [
  markedId: string,
  reason: SkippedChannel["reason"],
  openedAt: number | null,
  openReason: SkippedChannel["openReason"],
];
/** Texts begin with `MARK` too. */
type ParameterCells = [
  voices: string[],
  language: string | null,
  speed: number | null,
  dimensions: number | null,
  inputs: number | null,
];
type TraceCells = [
  form: number,
  admittedMs: number,
  settledMs: number,
  attempts: AttemptCells[],
  skipped?: SkippedCells[],
  parameters?: ParameterCells,
];

const marked = (text: string): string => MARK + text;
const unmarked = (text: string): string => text.slice(MARK.length);

function parameterCells({ voices, language, speed, dimensions, inputs }: CallParameters): ParameterCells {
  return [
    (voices ?? []).map((voice) => marked(storable(voice))),
    language === undefined ? null : marked(storable(language)),
    speed ?? null,
    dimensions ?? null,
    inputs ?? null,
  ];
}

function toParameters([voices, language, speed, dimensions, inputs]: ParameterCells): CallParameters {
  return {
    ...(voices.length === 0 ? {} : { voices: voices.map(unmarked) }),
    ...(language === null ? {} : { language: unmarked(language) }),
    ...(speed === null ? {} : { speed }),
    ...(dimensions === null ? {} : { dimensions }),
    ...(inputs === null ? {} : { inputs }),
  };
}

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
    const hasRefusal = one.upstreamRefusal !== undefined || one.error === "upstream_error";
    if (one.message !== null || hasRefusal) cells.push(one.message === null ? null : storable(one.message));
    if (hasRefusal) cells.push(one.upstreamRefusal ?? null);
    return cells;
  });
  const cells: TraceCells = [FORM, trace.admittedMs, trace.settledMs, attempts];
  const { skipped = [], parameters } = trace;
  if (skipped.length > 0 || parameters !== undefined)
    cells.push(
      skipped.map((one): SkippedCells => [marked(one.channelId), one.reason, one.openedAt, one.openReason]),
    );
  if (parameters !== undefined) cells.push(parameterCells(parameters));
  return JSON.stringify(cells);
}

/** Traces of earlier versions name no refusal, but their status shows it: 401 or 403 the key, 402 the account. */
function refusalOf(
  error: string | null,
  upstreamStatus: number | null,
  upstreamRefusal: UpstreamRefusal | null | undefined,
): Pick<AttemptTrace, "upstreamRefusal"> {
  if (upstreamRefusal === null) return {};
  if (upstreamRefusal !== undefined) return { upstreamRefusal };
  if (error !== "upstream_error") return {};
  if (upstreamStatus === 402) return { upstreamRefusal: "account" };
  return upstreamStatus === 401 || upstreamStatus === 403 ? { upstreamRefusal: "credentials" } : {};
}

/** Null for an entry without a trace, or with one of an unknown version. */
export function decodeTrace(text: string | null): CallTrace | null {
  if (text === null) return null;
  const [form, admittedMs, settledMs, attempts, skipped = [], parameters] = fromJson<TraceCells>(text);
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
        upstreamRefusal,
      ]): AttemptTrace => ({
        channelId,
        keyId,
        startedMs,
        firstByteMs,
        endedMs,
        error,
        upstreamStatus,
        message: message ?? null,
        ...refusalOf(error, upstreamStatus, upstreamRefusal),
      }),
    ),
    ...(skipped.length === 0
      ? {}
      : {
          skipped: skipped.map(
            ([markedId, reason, openedAt, openReason]): SkippedChannel => ({
              channelId: unmarked(markedId),
              reason,
              openedAt,
              openReason,
            }),
          ),
        }),
    ...(parameters === undefined ? {} : { parameters: toParameters(parameters) }),
  };
}
