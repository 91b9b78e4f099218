"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { codePoints, costOf, type GatewayModel, pricingOfModel } from "@/lib/client/gateway-models";
import { useQuantities } from "../charts/use-quantities";
import { CopyButton } from "../ui/copy-button";
import type { Comparison } from "./comparison";

/** What the call took: tokens, time, cost, and who served it. */
export function CallFacts({
  comparison,
  model,
}: {
  comparison: Comparison;
  model: GatewayModel | undefined;
}) {
  const t = useTranslations("embeddings.facts");
  const say = useQuantities();
  const { call, reply } = comparison;
  const characters = call.texts.reduce((sum, text) => sum + codePoints(text), 0);
  const costWords = (): string => {
    if (!model) return t("unknown");
    if (pricingOfModel(model) === "unpriced") return t("noPrice");
    const cost = costOf(model.prices, { inputTokens: reply.inputTokens, characters, seconds: 0 });
    return cost === 0 ? t("free") : say.money(cost);
  };
  const facts: [string, ReactNode][] = [
    [t("tokens"), say.count(reply.inputTokens)],
    [t("time"), say.duration(reply.elapsedMs)],
    [t("cost"), costWords()],
    [t("size"), say.bytes(reply.bytes)],
    // A reply from the cache came through no channel.
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
