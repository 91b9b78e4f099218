import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { changeOf } from "@/lib/client/overview";
import type { Overview } from "@/lib/contracts/console/overview";
import { useAmounts } from "../charts/use-amounts";
import { Change } from "./change";

export const FIGURES = ["calls", "errors", "audio", "tokens", "spend", "latency"] as const;
export type Figure = (typeof FIGURES)[number];

export interface FigureText {
  value: string;
  /** A second figure beside it. */
  beside: string | null;
  change: ReactNode;
}

/** Less than this is no change worth an arrow. */
const FLAT = 0.01;

/** Whether more of it is good news, bad news, or none. */
const MORE_IS = {
  calls: "good",
  audio: "good",
  tokens: "good",
  spend: "plain",
  errors: "bad",
  latency: "bad",
} as const satisfies Record<Figure, "good" | "bad" | "plain">;

type Sums = Overview["total"];
const tokensOf = (sums: Sums) => sums.input_tokens + sums.output_tokens;
const errorShare = (sums: Sums) => (sums.calls === 0 ? 0 : sums.errors / sums.calls);

/** Every figure of the first line in words, and how it stands against the time before. */
export function useFigureTexts({ total, before }: Pick<Overview, "total" | "before">) {
  const t = useTranslations("overview");
  const amounts = useAmounts();

  function change(figure: Figure, now: number, then: number): ReactNode {
    const by = changeOf(now, then);
    if (by === null) return now === 0 || before.calls === 0 ? null : plain(t("figure.none"));
    if (Math.abs(by) < FLAT) return plain(t("figure.same"));
    const words = { share: amounts.share(Math.abs(by)) };
    const [up, down] = figure === "latency" ? (["slower", "quicker"] as const) : (["more", "less"] as const);
    const isUp = by > 0;
    return (
      <Change to={isUp ? "up" : "down"} tone={toneOf(figure, isUp)}>
        {t(`figure.${isUp ? up : down}`, words)}
      </Change>
    );
  }

  /** Errors are judged by their share: twice as many of twice as many calls are no news. */
  function errorChange(): ReactNode {
    if (before.calls === 0) return null;
    const [now, then] = [errorShare(total), errorShare(before)];
    const words = t("figure.was", { share: amounts.share(then) });
    if (Math.abs(now - then) < 0.001) return plain(words);
    return (
      <Change to={now > then ? "up" : "down"} tone={toneOf("errors", now > then)}>
        {words}
      </Change>
    );
  }

  const figures: Record<Figure, FigureText> = {
    calls: {
      value: amounts.count(total.calls),
      beside: null,
      change: change("calls", total.calls, before.calls),
    },
    errors: {
      value: amounts.count(total.errors),
      beside: total.calls > 0 ? t("figure.share", { share: amounts.share(errorShare(total)) }) : null,
      change: errorChange(),
    },
    audio: {
      value: amounts.audio(total.audio_ms),
      beside: null,
      change: change("audio", total.audio_ms, before.audio_ms),
    },
    tokens: {
      value:
        total.input_tokens + total.output_tokens >= 100_000
          ? amounts.short(tokensOf(total))
          : amounts.count(tokensOf(total)),
      beside: null,
      change: change("tokens", tokensOf(total), tokensOf(before)),
    },
    spend: {
      value: amounts.money(Number(total.cost_usd)),
      beside: null,
      change: change("spend", Number(total.cost_usd), Number(before.cost_usd)),
    },
    latency: {
      value: total.latency_p50_ms === null ? "–" : amounts.ms(total.latency_p50_ms),
      beside:
        total.latency_p95_ms === null ? null : t("figure.p95", { time: amounts.ms(total.latency_p95_ms) }),
      change:
        total.latency_p50_ms === null
          ? null
          : change("latency", total.latency_p50_ms, before.latency_p50_ms ?? 0),
    },
  };
  return figures;
}

function plain(words: string): ReactNode {
  return (
    <Change to="flat" tone="plain">
      {words}
    </Change>
  );
}

function toneOf(figure: Figure, isUp: boolean): "good" | "bad" | "plain" {
  const more = MORE_IS[figure];
  if (more === "plain") return "plain";
  // Less traffic is no fault of anybody's.
  if (more === "good") return isUp ? "good" : "plain";
  return isUp ? "bad" : "good";
}
