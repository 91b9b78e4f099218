import { useTranslations } from "use-intl";
import type { SkippedChannel, UsageDetail } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { ScrollBox } from "../ui/scroll-box";

/** The message of a failed attempt: the upstream's, else ours. */
export function AttemptMessage({ children }: { children: string }) {
  const t = useTranslations("requests.attempt");
  return (
    <ScrollBox label={t("message")} className="max-h-40 px-3 py-2 text-ink">
      {children}
    </ScrollBox>
  );
}

/** The channels that a failed call did not try, each with its reason. */
export function SkippedChannels({ skipped }: { skipped: readonly SkippedChannel[] }) {
  const t = useTranslations("requests.attempt");
  const amounts = useAmounts();
  const reasonOf = ({ reason, since, circuit_reason }: SkippedChannel) => {
    if (reason !== "circuit" || since === null) return t(reason, { when: "" });
    const when = amounts.stamp(since);
    return circuit_reason === null
      ? t("circuit", { when })
      : t("circuitCause", { when, cause: t(`cause.${circuit_reason}`) });
  };
  return (
    <ul className="divide-y rounded-md border bg-panel text-sm">
      {skipped.map((one) => (
        <li key={one.channel_id} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
          <span className="font-medium wrap-anywhere">
            {one.channel_name ?? <code>{one.channel_id}</code>}
          </span>
          <span className="text-ink-muted">{reasonOf(one)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Why a call failed, in short: the last attempt's message, and the channels that were not tried. */
export function FailureCause({ trace }: { trace: NonNullable<UsageDetail["trace"]> }) {
  const message = trace.attempts.findLast((one) => one.message !== null)?.message ?? null;
  return (
    <>
      {message === null ? null : <AttemptMessage>{message}</AttemptMessage>}
      {trace.skipped.length > 0 ? <SkippedChannels skipped={trace.skipped} /> : null}
    </>
  );
}
