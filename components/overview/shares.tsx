import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { type CallFilters, callsHref } from "@/lib/client/calls";
import type { Range } from "@/lib/client/range";
import type { Overview } from "@/lib/contracts/console/overview";
import { BarList } from "../charts/bar-list";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";

const MAX_ROWS = 6;
/** Groups of calls that reached no channel. */
const WITHOUT_CHANNEL = ["cached", "not_routed"] as const;

interface Share {
  key: string;
  label: ReactNode;
  calls: number;
  errors: number;
  href?: string;
}

/** Calls of the range by model, channel and API key. */
export function Shares({ overview, range, isAdmin }: { overview: Overview; range: Range; isAdmin: boolean }) {
  const t = useTranslations("overview.shares");
  const mono = (text: string) => <code>{text}</code>;
  const called = <One extends { calls: number }>(all: readonly One[]) =>
    all.filter((one) => one.calls > 0).slice(0, MAX_ROWS);
  const logs = (filters: CallFilters) => callsHref(isAdmin, range, filters);
  return (
    <div className={cn("grid grid-cols-1 gap-6 md:grid-cols-2", isAdmin && "xl:grid-cols-3")}>
      <List
        title={t("model")}
        shares={called(overview.models).map((one) => ({
          key: one.name,
          label: mono(one.name),
          href: logs({ model: one.name }),
          ...one,
        }))}
      />
      {isAdmin ? (
        <List
          title={t("channel")}
          shares={[
            ...called(overview.channels).map((one) => ({
              key: one.id,
              label: one.name ?? mono(t("deleted", { id: one.id })),
              href: logs({ channel_id: one.id }),
              ...one,
            })),
            ...WITHOUT_CHANNEL.filter((group) => overview[group].calls > 0).map((group) => ({
              key: group,
              label: <span className="text-ink-muted">{t(group)}</span>,
              ...overview[group],
            })),
          ]}
        />
      ) : null}
      <List
        title={t("key")}
        shares={called(overview.keys).map((one) => ({
          key: one.id,
          label: one.name ?? mono(t("deleted", { id: one.id })),
          href: logs({ key_id: one.id }),
          ...one,
        }))}
      />
    </div>
  );
}

function List({ title, shares }: { title: string; shares: readonly Share[] }) {
  const t = useTranslations("overview.shares");
  const amounts = useAmounts();
  return (
    <section className="grid grid-cols-1 content-start gap-2 rounded-md border bg-panel px-5 py-4">
      <h2 className="text-base font-medium">{title}</h2>
      {shares.length === 0 ? (
        <p className="py-1.5 text-sm text-ink-muted">{t("empty")}</p>
      ) : (
        <BarList
          bars={shares.map(({ key, label, calls, errors, href }) => ({
            key,
            label,
            value: calls,
            bad: errors,
            text: amounts.count(calls),
            detail:
              errors > 0 ? (
                <span className="text-bad">{t("failed", { count: amounts.count(errors) })}</span>
              ) : null,
            href,
          }))}
        />
      )}
    </section>
  );
}
