import { useId } from "react";
import { useTranslations } from "use-intl";
import type { UsageSums } from "@/lib/contracts/console/usage-summary";
import { useAmounts } from "../charts/use-amounts";
import { Skeleton } from "../ui/skeleton";

const FIGURES = ["calls", "cost", "tokens", "audio"] as const;
export type Figure = (typeof FIGURES)[number];

export function isFigure(text: string | null): text is Figure {
  return FIGURES.some((figure) => figure === text);
}

/** The figures of the range as a radio group; the selected one is drawn in the chart below. */
export function Figures({
  total,
  figure,
  onFigure,
}: {
  total: UsageSums | undefined;
  figure: Figure;
  onFigure(figure: Figure): void;
}) {
  const t = useTranslations("usage.figure");
  const name = useId();
  const texts = useTexts(total);
  return (
    <div
      role="radiogroup"
      aria-label={t("label")}
      className="grid grid-cols-2 overflow-hidden rounded-t-md border border-b-0 bg-panel md:grid-cols-4"
    >
      {FIGURES.map((one) => (
        <label
          key={one}
          className="relative grid content-start gap-0.5 border-b p-4 transition-colors odd:border-r md:not-last:border-r hover:bg-hover/50 md:has-checked:border-b-transparent has-checked:bg-panel not-has-checked:bg-sunken/60 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            value={one}
            checked={one === figure}
            onChange={() => onFigure(one)}
            className="absolute inset-0 cursor-pointer appearance-none opacity-0"
          />
          <span className="text-sm text-ink-muted">{t(one)}</span>
          <span className="tabular text-xl">
            {texts ? texts[one].value : <Skeleton className="my-1 h-5 w-20" />}
          </span>
          <span className="tabular text-sm text-ink-faint">
            {texts ? texts[one].detail : <Skeleton className="my-0.5 h-4 w-28" />}
          </span>
        </label>
      ))}
    </div>
  );
}

/** The text of each figure, with a detail such as the share of failed calls; undefined while loading. */
function useTexts(
  sums: UsageSums | undefined,
): Record<Figure, { value: string; detail: string }> | undefined {
  const t = useTranslations("usage.figure");
  const amounts = useAmounts();
  if (!sums) return undefined;
  const dollars = Number(sums.cost_usd);
  const failed = t("failed", { share: amounts.share(sums.calls === 0 ? 0 : sums.errors / sums.calls) });
  return {
    calls: {
      value: amounts.count(sums.calls),
      detail: sums.errors === 0 ? t("noneFailed") : failed,
    },
    cost: {
      value: amounts.money(dollars),
      detail: sums.calls === 0 ? "—" : t("perCall", { money: amounts.money(dollars / sums.calls) }),
    },
    tokens: {
      value: amounts.count(sums.input_tokens + sums.output_tokens),
      detail: t("tokensOf", {
        input: amounts.count(sums.input_tokens),
        output: amounts.count(sums.output_tokens),
      }),
    },
    audio: { value: amounts.audio(sums.audio_ms), detail: t("audioCalls") },
  };
}
