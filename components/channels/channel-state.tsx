"use client";

import { useNow, useTranslations } from "use-intl";
import type { Channel, ChannelUse, CircuitHealth } from "@/lib/contracts/console/channels";
import { Badge, StatusDot } from "../ui/badge";

/**
 * `partial`: the circuit is open for some of its models. The last three are about the requests of the last 24 hours:
 * closed circuits alone do not show that a channel works.
 */
type ChannelCondition = "disabled" | "open" | "half_open" | "partial" | ChannelUse;

export function conditionOf(
  channel: Pick<Channel, "enabled" | "health" | "broken_models" | "use">,
): ChannelCondition {
  if (!channel.enabled) return "disabled";
  if (channel.health.state !== "closed") return channel.health.state;
  return channel.broken_models.length > 0 ? "partial" : channel.use;
}

/** True when an enabled channel has an open or half-open circuit. */
export function isUnhealthy(condition: ChannelCondition): boolean {
  return condition === "open" || condition === "half_open" || condition === "partial";
}

const DOT_TONES = {
  serving: "good",
  failing: "bad",
  none: "off",
  disabled: "off",
  open: "bad",
  half_open: "warn",
  partial: "warn",
} as const;
const BADGE_TONES = {
  failing: "bad",
  none: "neutral",
  disabled: "neutral",
  open: "bad",
  half_open: "warn",
  partial: "warn",
} as const;

/** A channel's status dot. It is decorative: `ConditionBadge` beside it carries the text. */
export function ChannelStatusDot({ condition }: { condition: ChannelCondition }) {
  return <StatusDot tone={DOT_TONES[condition]} />;
}

/** The condition as text: a badge, or text for screen readers only while the channel serves. */
export function ConditionBadge({ condition }: { condition: ChannelCondition }) {
  const t = useTranslations("channels.state");
  if (condition === "serving") return <span className="sr-only">{t("serving")}</span>;
  return <Badge tone={BADGE_TONES[condition]}>{t(condition)}</Badge>;
}

/** Three sentences about an open circuit: its cause, what to do, and when it is tried again. */
export function useCircuitText(): (health: CircuitHealth) => {
  cause: string;
  advice: string;
  retry: string;
} {
  const t = useTranslations("channels");
  const now = useNow({ updateInterval: 1_000 }).getTime();
  return (health) => {
    const reason = health.reason ?? "unknown";
    const seconds = health.retry_at ? Math.ceil((Date.parse(health.retry_at) - now) / 1_000) : 0;
    return {
      cause: t(`reason.${reason}`),
      advice: t(`advice.${reason}`),
      retry: seconds > 0 ? t("retryIn", { seconds }) : t("retryNext"),
    };
  };
}
