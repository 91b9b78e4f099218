import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { UsageAttempt, UsageDetail } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { AttemptMessage } from "./attempt-cause";

type Trace = NonNullable<UsageDetail["trace"]>;

/** Timeline of a call on one time scale: authorisation, each attempt, recording. */
export function Timeline({ trace }: { trace: Trace }) {
  const t = useTranslations("requests.detail");
  const amounts = useAmounts();
  const end = Math.max(trace.settled_ms, ...trace.attempts.map((one) => one.ended_ms ?? 0), 0.1);
  return (
    <ol className="grid gap-4">
      <Step
        title={t("authorised")}
        note={t("authorisedText")}
        time={amounts.ms(trace.admitted_ms)}
        parts={[{ from: 0, to: trace.admitted_ms, tone: "quiet" }]}
        end={end}
      />
      {trace.attempts.map((attempt, index) => (
        <Attempt
          key={`${attempt.channel_id} ${attempt.started_ms}`}
          attempt={attempt}
          number={index + 1}
          end={end}
        />
      ))}
      <Step
        title={t("recorded")}
        time={t("after", { time: amounts.ms(trace.settled_ms) })}
        parts={[{ from: trace.settled_ms, to: trace.settled_ms, tone: "quiet" }]}
        end={end}
      />
    </ol>
  );
}

function Attempt({ attempt, number, end }: { attempt: UsageAttempt; number: number; end: number }) {
  const t = useTranslations("requests.detail");
  const amounts = useAmounts();
  const ended = attempt.ended_ms ?? end;
  const first = attempt.first_byte_ms ?? ended;
  const isFailed = attempt.error !== null;
  const status = attempt.upstream_status;
  return (
    <Step
      title={
        <>
          {t("attempt", { number })}{" "}
          <span className="font-normal">{attempt.channel_name ?? attempt.channel_id}</span>
        </>
      }
      note={
        <span className="grid gap-1.5">
          <span className="flex flex-wrap gap-x-3">
            {attempt.key === null ? null : <span>{t("with", { key: attempt.key })}</span>}
            {attempt.first_byte_ms === null ? null : (
              <span>{t("firstByteMark", { time: amounts.ms(first - attempt.started_ms) })}</span>
            )}
            {isFailed ? <code className="text-bad">{attempt.error}</code> : null}
            {status === null ? null : <span>{t("answered", { status: String(status) })}</span>}
          </span>
          {attempt.message === null ? null : <AttemptMessage>{attempt.message}</AttemptMessage>}
        </span>
      }
      time={amounts.ms(ended - attempt.started_ms)}
      parts={[
        { from: attempt.started_ms, to: first, tone: isFailed ? "bad" : "quiet" },
        ...(attempt.first_byte_ms === null
          ? []
          : [{ from: first, to: ended, tone: isFailed ? "bad" : "good" } as const]),
      ]}
      end={end}
    />
  );
}

interface Part {
  from: number;
  to: number;
  tone: "quiet" | "good" | "bad";
}
const TONES = { quiet: "bg-line-strong", good: "bg-good", bad: "bg-bad" } as const;

function Step({
  title,
  note,
  time,
  parts,
  end,
}: {
  title: ReactNode;
  note?: ReactNode;
  time: string;
  parts: readonly Part[];
  end: number;
}) {
  const share = (ms: number) => `${Math.min(100, Math.max(0, (ms / end) * 100))}%`;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 text-sm">
      <span className="flex items-baseline justify-between gap-4">
        <span className="min-w-0 truncate font-medium">{title}</span>
        <span className="tabular shrink-0">{time}</span>
      </span>
      <span aria-hidden="true" className="relative block h-2 rounded-full bg-line">
        {parts.map((part) => (
          <span
            key={`${part.from} ${part.tone}`}
            // At least 3 px wide, so that a step without duration is visible.
            className={cn("absolute inset-y-0 min-w-0.75 rounded-full", TONES[part.tone])}
            style={{ left: `min(${share(part.from)}, 100% - 3px)`, width: share(part.to - part.from) }}
          />
        ))}
      </span>
      {note ? <span className="text-ink-muted">{note}</span> : null}
    </li>
  );
}
