"use client";

import { useTranslations } from "use-intl";
import { type Range, type RangeName, setRangeInUrl } from "@/lib/client/range";
import { SegmentedControl } from "../ui/segmented-control";
import { useInputValue } from "../ui/use-input-value";
import { useOnDemand } from "../ui/use-on-demand";
import { RangeTrigger } from "./range-trigger";

const loadDialog = () => import("./range-dialog").then((one) => one.RangeDialog);

const NAMES = [
  ["1h", "hour"],
  ["24h", "day"],
  ["7d", "week"],
  ["30d", "month"],
] as const satisfies readonly (readonly [RangeName, string])[];

/**
 * Selects a page's time range: the last hour, day, week or month, or a custom one. The choice is stored in the query
 * parameters (`range=7d`, or `from` and `to`), where `useRange()` reads it; pass its result as `range`.
 */
export function RangePicker({ range }: { range: Range }) {
  const t = useTranslations("common.range");
  const { Loaded, trigger } = useOnDemand(loadDialog);
  const { shown, change } = useInputValue(range.name, (name) => name !== "custom" && setRangeInUrl(name));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedControl<Range["name"]>
        label={t("label")}
        value={shown}
        onValueChange={change}
        segments={NAMES.map(([value, word]) => ({ value, label: t(word) }))}
      />
      {Loaded ? <Loaded range={range} /> : <RangeTrigger range={range} aria-haspopup="dialog" {...trigger} />}
    </div>
  );
}
