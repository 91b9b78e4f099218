"use client";

import { useNow, useTranslations } from "use-intl";
import type { Channel, CircuitHealth } from "@/lib/contracts/channels";
import { Badge } from "../ui/badge";
import { Lamp } from "../ui/lamp";

export type ChannelCondition = "serving" | "disabled" | "open" | "half_open";

export function conditionOf({ enabled, health }: Pick<Channel, "enabled" | "health">): ChannelCondition {
  if (!enabled) return "disabled";
  return health.state === "closed" ? "serving" : health.state;
}

const LAMPS = { serving: "good", disabled: "off", open: "bad", half_open: "warn" } as const;
const BADGES = { disabled: "neutral", open: "bad", half_open: "warn" } as const;

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
