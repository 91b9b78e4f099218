"use client";

import { useTranslations } from "use-intl";
import { putRangeInAddress, type Range, type RangeName } from "@/lib/client/range";
import { cn } from "../ui/class-names";
import { SegmentedControl } from "../ui/segmented-control";
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
 * The range of a page: an hour, a day, a week, a month up to now, or from one instant to another. The choice goes into
 * the address (`range=7d`, or `from=` and `to=`), where `useRange()` reads it; hand its range in as `range`. What else
 * stands in the address stays.
 */
export function RangePicker({ range, className }: { range: Range; className?: string }) {
  const t = useTranslations("common.range");
  const { Loaded, loadNow, preload } = useOnDemand(loadDialog);
  return (
    <div className={cn("flex flex-wrap items-center gap-2", className)}>
      <SegmentedControl<Range["name"]>
        label={t("label")}
        value={range.name}
        onValueChange={(name) => name !== "custom" && putRangeInAddress(name)}
        segments={NAMES.map(([value, word]) => ({ value, label: t(word) }))}
      />
      {Loaded ? (
        <Loaded range={range} />
      ) : (
        <RangeTrigger
          range={range}
          aria-haspopup="dialog"
          aria-expanded={false}
          onPointerEnter={preload}
          onFocus={preload}
          onClick={loadNow}
        />
      )}
    </div>
  );
}
