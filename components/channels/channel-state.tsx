"use client";

import { useNow, useTranslations } from "use-intl";
import type { Channel, CircuitHealth } from "@/lib/contracts/console/channels";
import { Badge } from "../ui/badge";
import { Lamp } from "../ui/status-dot";

/** `partial`: some of its models are served, others are not. */
export type ChannelCondition = "serving" | "disabled" | "open" | "half_open" | "partial";

export function conditionOf(
  channel: Pick<Channel, "enabled" | "health" | "broken_models">,
): ChannelCondition {
  if (!channel.enabled) return "disabled";
  if (channel.health.state !== "closed") return channel.health.state;
  return channel.broken_models.length > 0 ? "partial" : "serving";
}

/** Whether something is wrong with a channel that is meant to serve. */
export function isTroubled(condition: ChannelCondition): boolean {
  return condition !== "serving" && condition !== "disabled";
}

const LAMPS = { serving: "good", disabled: "off", open: "bad", half_open: "warn", partial: "warn" } as const;
const BADGES = { disabled: "neutral", open: "bad", half_open: "warn", partial: "warn" } as const;

/** A channel's light; what it says stands beside it, or is heard. */
export function ChannelLamp({ condition }: { condition: ChannelCondition }) {
  return <Lamp tone={LAMPS[condition]} />;
}

/** The condition in a word: a badge where something is to be known, heard alone where all is well. */
export function ConditionWord({ condition }: { condition: ChannelCondition }) {
  const t = useTranslations("channels.state");
  if (condition === "serving") return <span className="sr-only">{t("serving")}</span>;
  return <Badge tone={BADGES[condition]}>{t(condition)}</Badge>;
}

/** Why calls pass by, what to do, and until when: three short sentences. */
export function useCircuitWords(): (health: CircuitHealth) => { why: string; advice: string; until: string } {
  const t = useTranslations("channels");
  const now = useNow({ updateInterval: 1_000 }).getTime();
  return (health) => {
    const reason = health.reason ?? "unknown";
    const seconds = health.retry_at ? Math.ceil((Date.parse(health.retry_at) - now) / 1_000) : 0;
    return {
      why: t(`reason.${reason}`),
      advice: t(`advice.${reason}`),
      until: seconds > 0 ? t("retryIn", { seconds }) : t("retryNext"),
    };
  };
}
