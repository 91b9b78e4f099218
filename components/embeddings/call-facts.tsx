"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { codePoints, estimateCost, type GatewayModel, pricingOfModel } from "@/lib/client/gateway-models";
import { useAmounts } from "../charts/use-amounts";
import { CopyButton } from "../ui/copy-button";
import type { Comparison } from "./comparison";

/** Tokens, latency, cost, size and channel of a call. */
export function CallFacts({
  comparison,
  model,
}: {
  comparison: Comparison;
  model: GatewayModel | undefined;
}) {
  const t = useTranslations("embeddings.facts");
  const format = useAmounts();
  const { call, reply } = comparison;
  const characters = call.texts.reduce((sum, text) => sum + codePoints(text), 0);
  const costText = (): string => {
    if (!model) return t("unknown");
    if (pricingOfModel(model) === "unpriced") return t("noPrice");
    const cost = estimateCost(model.prices, { inputTokens: reply.inputTokens, characters, seconds: 0 });
    return cost === 0 ? t("free") : format.money(cost);
  };
  const facts: [string, ReactNode][] = [
    [t("tokens"), format.count(reply.inputTokens)],
    [t("latency"), format.ms(reply.elapsedMs)],
    [t("cost"), costText()],
    [t("size"), format.bytes(reply.bytes)],
    // A cached reply has no channel.
    ...(reply.channel === null ? [] : [[t("channel"), reply.channel] satisfies [string, ReactNode]]),
    ...(reply.cache === null ? [] : [[t("cache"), reply.cache] satisfies [string, ReactNode]]),
  ];
  return (
    <dl aria-label={t("label")} className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t pt-2 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex items-baseline gap-1.5">
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
      {reply.requestId ? (
        <div className="flex items-center gap-1.5">
          <dt className="text-xs text-ink-faint">{t("request")}</dt>
          <dd className="flex items-center">
            <code className="max-w-40 truncate">{reply.requestId}</code>
            <CopyButton value={reply.requestId} name={t("copyRequest")} />
          </dd>
        </div>
      ) : null}
    </dl>
  );
}
