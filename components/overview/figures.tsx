import Link from "next/link";
import { useId } from "react";
import { useTranslations } from "use-intl";
import type { Range } from "@/lib/client/range";
import type { Overview } from "@/lib/contracts/console/overview";
import { cn } from "../ui/class-names";
import { FIGURES, type OverviewFigure, useFigureTexts } from "./use-figure-texts";

interface FiguresProps {
  overview: Overview;
  range: Range;
  shown: readonly OverviewFigure[];
  figure: OverviewFigure;
  isAdmin: boolean;
  onFigure(figure: OverviewFigure): void;
}

/** The figures of the range as a radio group; the selected one is drawn in the chart below. */
export function OverviewFigures({ shown, figure, onFigure, ...data }: FiguresProps) {
  const t = useTranslations("overview.figure");
  const name = useId();
  const figures = FIGURES.filter((one) => shown.includes(one));
  return (
    <div
      role="radiogroup"
      aria-label={t("label")}
      className={cn(
        "grid grid-cols-2 gap-px overflow-hidden rounded-t-md bg-line sm:grid-cols-3",
        figures.length === 6
          ? "xl:grid-cols-[repeat(5,minmax(0,1fr))_minmax(0,1.3fr)]"
          : "xl:grid-cols-[repeat(4,minmax(0,1fr))_minmax(0,1.2fr)]",
      )}
    >
      {figures.map((one) => (
        <label
          key={one}
          className="relative grid cursor-pointer content-start gap-0.5 bg-panel px-4 py-3 transition-colors hover:bg-sunken/60 has-checked:shadow-[inset_0_2px_0_var(--ink)] has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 max-sm:last:odd:col-span-2"
        >
          <input
            type="radio"
            name={name}
            checked={one === figure}
            onChange={() => onFigure(one)}
            className="absolute inset-0 cursor-pointer appearance-none opacity-0"
          />
          <span className={cn("text-sm", one === figure ? "text-ink" : "text-ink-muted")}>{t(one)}</span>
          <Values figure={one} {...data} />
        </label>
      ))}
    </div>
  );
}

/** The value of a figure, and how it has changed since the period before. */
function Values({ figure, overview, range, isAdmin }: Omit<FiguresProps, "shown" | "onFigure">) {
  const t = useTranslations("overview.figure");
  const previousPeriod = useTranslations("overview.previousPeriod");
  const text = useFigureTexts(overview)[figure];
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span data-testid={`figure-${figure}`} className="tabular text-xl font-medium tracking-tight">
          {text.value}
        </span>
        <span className="tabular text-xs text-ink-muted">{text.detail}</span>
      </span>
      {figure === "spend" && overview.unpriced_models.length > 0 ? (
        <UnpricedNote models={overview.unpriced_models} isLink={isAdmin} />
      ) : null}
      <span className="flex min-h-4">
        {text.change}
        {text.change ? (
          <span className="sr-only"> {t("comparedWith", { period: previousPeriod(range.name) })}</span>
        ) : null}
      </span>
    </>
  );
}

/** Says which models the spend does not include; administrators can set their prices. */
function UnpricedNote({ models, isLink }: { models: readonly string[]; isLink: boolean }) {
  const t = useTranslations("overview.figure");
  const text = t("unpriced", { count: models.length });
  const [only] = models;
  const href = models.length === 1 && only ? `/models?q=${encodeURIComponent(only)}` : "/models";
  return (
    <span className="text-xs text-ink-muted" title={models.join("\n")}>
      {isLink ? (
        // Positioned, so that the link lies above the radio button that covers the figure.
        <Link prefetch={false} href={href} className="relative underline underline-offset-4">
          {text}
        </Link>
      ) : (
        text
      )}
    </span>
  );
}
