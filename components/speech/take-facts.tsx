"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import { estimateCost, type GatewayModel, pricingOfModel } from "@/lib/client/gateway-models";
import { codePoints } from "@/lib/contracts/code-points";
import { useAmounts } from "../charts/use-amounts";
import { CopyButton } from "../ui/copy-button";

/** A take's cost in dollars by the current prices of its model; 0 for audio from the cache; null if unknown. */
export function takeDollars(take: Take, models: readonly GatewayModel[]): number | null {
  if (take.isCached) return 0;
  const model = models.find((one) => one.name === take.call.model);
  if (!model || pricingOfModel(model) === "unpriced") return null;
  const { inputTokens, outputTokens } = take;
  // For a stopped or failed call, only the usage ledger has the tokens.
  const isUnknown =
    (inputTokens === null && model.prices.inputTokens !== null) ||
    (outputTokens === null && model.prices.outputTokens !== null);
  if (isUnknown) return null;
  return estimateCost(model.prices, {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    characters: codePoints(take.call.text),
    seconds: take.durationMs / 1000,
  });
}

/** A take's cost as text. */
export function useTakeCost(take: Take, models: readonly GatewayModel[]): string {
  const t = useTranslations("playground.facts");
  const show = useAmounts();
  if (take.isCached) return t("free");
  const model = models.find((one) => one.name === take.call.model);
  if (!model) return t("unknown");
  const pricing = pricingOfModel(model);
  if (pricing !== "priced") return t(pricing === "free" ? "free" : "noPrice");
  const dollars = takeDollars(take, models);
  return dollars === null ? t("unknown") : show.money(dollars);
}

/** Latency, duration, tokens, cost, channel and request ID of a take. */
export function TakeFacts({ take, models }: { take: Take; models: readonly GatewayModel[] }) {
  const t = useTranslations("playground.facts");
  const show = useAmounts();
  const cost = useTakeCost(take, models);
  const { inputTokens: input, outputTokens: output } = take;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 border-t pt-4 sm:grid-cols-3 xl:grid-cols-[repeat(5,auto)_minmax(0,1fr)]">
      <TimeFacts take={take} />
      <Fact name={t("tokens")}>
        {input === null || output === null
          ? t("unknown")
          : t("tokensValue", { input: show.count(input), output: show.count(output) })}
      </Fact>
      <Fact name={t("cost")}>{cost}</Fact>
      <Fact name={t("channel")}>{take.channel ?? t("unknown")}</Fact>
      <Fact name={t("request")}>
        {take.requestId ? (
          <span className="flex items-center gap-1">
            <code className="truncate" title={take.requestId}>
              {take.requestId}
            </code>
            <CopyButton value={take.requestId} name={t("copyRequest")} className="-my-2 shrink-0" />
          </span>
        ) : (
          t("unknown")
        )}
      </Fact>
    </dl>
  );
}

/** Latency and duration of a take. */
export function TimeFacts({ take }: { take: Take }) {
  const t = useTranslations("playground.facts");
  const show = useAmounts();
  return (
    <>
      <Fact name={t("firstAudio")}>
        {take.firstAudioMs === null ? t("unknown") : show.ms(take.firstAudioMs)}
      </Fact>
      <Fact name={t("duration")}>{show.ms(take.durationMs)}</Fact>
    </>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-faint">{name}</dt>
      <dd className="tabular truncate text-sm">{children}</dd>
    </div>
  );
}
