import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { type CallFilter, type CallFilters, MAX_ITEMS, withFilter } from "@/lib/client/calls";
import { pushQueryParams } from "@/lib/client/query-params";
import { type Range, rangeQuery } from "@/lib/client/range";
import { useApi } from "@/lib/client/use-api";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import { type Bar, BarList } from "../charts/bar-list";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { FilterSelect, SelectOptions } from "../ui/input";
import { Skeleton } from "../ui/skeleton";
import type { Figure } from "./figures";

const DIMENSIONS = ["model", "channel", "key", "user", "tag", "end_user"] as const;
type Dimension = (typeof DIMENSIONS)[number];
/** The filter that a row of each dimension sets. */
const FILTERS = {
  model: "model",
  channel: "channel_id",
  key: "key_id",
  user: "user_id",
  tag: "tag",
  end_user: "end_user",
} as const satisfies Record<Dimension, CallFilter>;

const MAX_ROWS = 8;

type Item = UsageSummary["items"][number];

function amountOf(item: UsageSummary["total"], figure: Figure): number {
  switch (figure) {
    case "calls":
      return item.calls;
    case "cost":
      return Number(item.cost_usd);
    case "tokens":
      return item.input_tokens + item.output_tokens;
    case "audio":
      return item.audio_ms;
  }
}

/** A bar for each of the largest items, which links to a filter for the item, and a bar for all others together. */
export function useBars(summary: UsageSummary | undefined, by: Dimension, figure: Figure): Bar[] {
  const all = summary?.items ?? [];
  const isCut = all.length === MAX_ITEMS;
  const t = useTranslations("usage.by");
  const amounts = useAmounts();
  const searchParams = useSearchParams();
  const formats: Record<Figure, (value: number) => string> = {
    calls: amounts.count,
    cost: amounts.money,
    tokens: amounts.count,
    audio: amounts.audio,
  };

  const items = all
    .filter((item) => amountOf(item, figure) > 0)
    .sort((a, b) => amountOf(b, figure) - amountOf(a, figure));
  const rest = items.slice(MAX_ROWS);
  const bars = items.slice(0, MAX_ROWS).map((item): Bar => {
    const value = amountOf(item, figure);
    return {
      // No name of an item equals the key of the bar for all others.
      key: item.name === null ? "" : `=${item.name}`,
      label: labelOf(item),
      value,
      bad: figure === "calls" ? item.errors : 0,
      text: formats[figure](value),
      href:
        item.name === null
          ? undefined
          : withFilter(new URLSearchParams(searchParams), FILTERS[by], item.name),
    };
  });
  if (rest.length > 0) {
    const sumOf = (some: readonly Item[]) => some.reduce((sum, item) => sum + amountOf(item, figure), 0);
    // A call counts under each of its tags, so that items by tag do not add up to the total. Other items do.
    const value =
      summary !== undefined && isCut && by !== "tag"
        ? amountOf(summary.total, figure) - sumOf(items.slice(0, MAX_ROWS))
        : sumOf(rest);
    bars.push({
      key: "others",
      label: t(isCut ? "manyOthers" : "others", { count: rest.length }),
      value,
      text: formats[figure](value),
    });
  }
  return bars;

  function labelOf(item: Item): ReactNode {
    if (item.name === null) return <span className="text-ink-faint">{t("none")}</span>;
    if (by === "model" || item.label === null) return <code>{item.name}</code>;
    return item.label;
  }
}

interface BreakdownProps {
  filters: CallFilters;
  range: Range;
  figure: Figure;
}

/** The figure by model, channel, key, user, tag or end user; a row adds a filter for its item. */
export function Breakdown({ isOwn, ...props }: BreakdownProps & { isOwn: boolean }) {
  const t = useTranslations("usage.by");
  const requested = useSearchParams().get("by");
  const dimensions = DIMENSIONS.filter((dimension) => !(isOwn && dimension === "user"));
  const by = dimensions.find((dimension) => dimension === requested) ?? "model";
  return (
    <section className="grid content-start gap-3 rounded-md border bg-panel p-4">
      <span className="flex items-center justify-between gap-4">
        <h2 className="font-medium">{t("title")}</h2>
        <FilterSelect
          aria-label={t("label")}
          value={by}
          onValueChange={(value) => pushQueryParams({ by: value === "model" ? null : value })}
          className="w-auto"
        >
          <SelectOptions of={dimensions.map((dimension) => [dimension, t(dimension)])} />
        </FilterSelect>
      </span>
      {/* While loading, keeps data of previous filters, but not of another dimension, whose rows set another filter. */}
      <Rows key={by} by={by} {...props} />
    </section>
  );
}

function Rows({ by, filters, range, figure }: BreakdownProps & { by: Dimension }) {
  const t = useTranslations("usage.by");
  const tUsage = useTranslations("usage");
  const amounts = useAmounts();
  const order = figure === "calls" ? undefined : figure;
  const query = { ...rangeQuery(range), ...filters, by, order, limit: MAX_ITEMS };
  const { data, error, mutate } = useApi(api.summarizeUsage, { query }, { keepPreviousData: true });
  const bars = useBars(data, by, figure);
  if (error && !data) return <CallError error={error} onRetry={() => void mutate()} />;
  if (!data)
    return (
      <span aria-busy="true" className="grid gap-3">
        {[0, 1, 2, 3].map((line) => (
          <Skeleton key={line} className="h-8 w-full" />
        ))}
      </span>
    );
  return (
    <>
      {bars.length > 0 ? (
        <BarList bars={bars} />
      ) : (
        <p className="py-6 text-center text-sm text-ink-muted">{t("empty")}</p>
      )}
      {data.read_from ? (
        <p className="text-sm text-ink-muted">{tUsage("partial", { when: amounts.exact(data.read_from) })}</p>
      ) : null}
    </>
  );
}
