import { CalendarIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { Range } from "@/lib/client/range";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { useIsBrowser } from "../ui/use-is-browser";

/** The button that opens the custom range; shows the selected one. */
export function RangeTrigger({ range, ...props }: { range: Range } & ComponentProps<"button">) {
  const t = useTranslations("common.range");
  const format = useFormatter();
  const isBrowser = useIsBrowser();
  const isCustom = range.name === "custom";
  return (
    <Button
      variant="outline"
      size="sm"
      className={cn("font-normal", !isCustom && "text-ink-muted")}
      {...props}
    >
      <CalendarIcon aria-hidden="true" />
      {isCustom && isBrowser
        ? format.dateTimeRange(range.from, range.to, {
            month: "short",
            day: "numeric",
            hour: "2-digit",
            minute: "2-digit",
            hourCycle: "h23",
            numberingSystem: "latn",
          })
        : t("custom")}
    </Button>
  );
}
