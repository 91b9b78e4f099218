import { ArrowDownIcon, ArrowUpIcon, MinusIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Overview } from "@/lib/contracts/console/overview";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";

export const FIGURES = ["calls", "errors", "audio", "tokens", "spend", "latency"] as const;
export type OverviewFigure = (typeof FIGURES)[number];

interface FigureText {
  value: string;
  /** A second figure next to the value. */
  detail: string | null;
  /** Change since the previous period; null if there is nothing to compare with. */
  change: ReactNode;
}

/** Smaller relative changes count as unchanged. */
const MIN_CHANGE = 0.01;
/** Larger relative increases (1,000 %) are shown as a factor. */
const FACTOR_FROM = 10;
/** Smaller changes of the error rate count as unchanged. */
const MIN_ERROR_RATE_CHANGE = 0.001;

/** Whether an increase is good, bad or neutral. */
const INCREASE_IS = {
  calls: "good",
  audio: "good",
  tokens: "good",
  spend: "plain",
  errors: "bad",
  latency: "bad",
} as const satisfies Record<OverviewFigure, Tone>;

type Sums = Overview["total"];
const tokensOf = (sums: Sums) => sums.input_tokens + sums.output_tokens;
const errorRate = (sums: Sums) => (sums.calls === 0 ? 0 : sums.errors / sums.calls);

/** Every figure of the overview formatted, with its change since the previous period. */
export function useFigureTexts({
  total,
  before,
}: Pick<Overview, "total" | "before">): Record<OverviewFigure, FigureText> {
  const t = useTranslations("overview.figure");
  const amounts = useAmounts();
  const { changeText, errorChangeText } = useChangeTexts(before);
  const tokens = tokensOf(total);
  const { latency_p50_ms: p50, latency_p95_ms: p95 } = total;
  return {
    calls: {
      value: amounts.count(total.calls),
      detail: null,
      change: changeText("calls", total.calls, before.calls),
    },
    errors: {
      value: amounts.count(total.errors),
      detail: total.calls > 0 ? t("share", { share: amounts.share(errorRate(total)) }) : null,
      change: errorChangeText(errorRate(total)),
    },
    audio: {
      value: amounts.audio(total.audio_ms),
      detail: null,
      change: changeText("audio", total.audio_ms, before.audio_ms),
    },
    tokens: {
      value: tokens >= 100_000 ? amounts.short(tokens) : amounts.count(tokens),
      detail: null,
      change: changeText("tokens", tokens, tokensOf(before)),
    },
    spend: {
      value: amounts.money(Number(total.cost_usd)),
      detail: null,
      change: changeText("spend", Number(total.cost_usd), Number(before.cost_usd)),
    },
    latency: {
      value: p50 === null ? "–" : amounts.estimatedMs(p50),
      detail: p95 === null ? null : t("p95", { time: amounts.estimatedMs(p95) }),
      change: p50 === null ? null : changeText("latency", p50, before.latency_p50_ms ?? 0),
    },
  };
}

function useChangeTexts(before: Sums) {
  const t = useTranslations("overview.figure");
  const amounts = useAmounts();

  function changeText(figure: OverviewFigure, now: number, then: number): ReactNode {
    if (then === 0) return now === 0 || before.calls === 0 ? null : <Unchanged>{t("none")}</Unchanged>;
    const by = (now - then) / then;
    if (Math.abs(by) < MIN_CHANGE) return <Unchanged>{t("same")}</Unchanged>;
    const isUp = by > 0;
    const [up, down] = figure === "latency" ? (["slower", "faster"] as const) : (["more", "less"] as const);
    const text =
      by > FACTOR_FROM
        ? t("factor", { factor: amounts.factor(by + 1) })
        : t(isUp ? up : down, { share: amounts.share(Math.abs(by)) });
    return (
      <Change direction={isUp ? "up" : "down"} tone={toneOf(figure, isUp)}>
        {text}
      </Change>
    );
  }

  /** Compares error rates, not counts: twice the errors of twice the calls is no change. */
  function errorChangeText(now: number): ReactNode {
    if (before.calls === 0) return null;
    const then = errorRate(before);
    const text = t("was", { share: amounts.share(then) });
    if (Math.abs(now - then) < MIN_ERROR_RATE_CHANGE) return <Unchanged>{text}</Unchanged>;
    return (
      <Change direction={now > then ? "up" : "down"} tone={toneOf("errors", now > then)}>
        {text}
      </Change>
    );
  }

  return { changeText, errorChangeText };
}

function toneOf(figure: OverviewFigure, isUp: boolean): Tone {
  const increase = INCREASE_IS[figure];
  if (increase === "plain") return "plain";
  // Less traffic is not bad in itself.
  if (increase === "good") return isUp ? "good" : "plain";
  return isUp ? "bad" : "good";
}

const ICONS = { up: ArrowUpIcon, down: ArrowDownIcon, flat: MinusIcon } as const;
const TONES = { good: "text-good", bad: "text-bad", plain: "text-ink-muted" } as const;
type Tone = keyof typeof TONES;

function Unchanged({ children }: { children: string }) {
  return (
    <Change direction="flat" tone="plain">
      {children}
    </Change>
  );
}

/** A change as an arrow and in words. */
function Change({
  direction,
  tone,
  children,
}: {
  direction: keyof typeof ICONS;
  tone: Tone;
  children: string;
}) {
  const Icon = ICONS[direction];
  return (
    <span className={cn("flex items-start gap-1 text-xs", TONES[tone])}>
      <Icon aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
      <span>{children}</span>
    </span>
  );
}
