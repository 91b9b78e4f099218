"use client";

import { useNow, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel, ChannelUse, CircuitHealth } from "@/lib/contracts/console/channels";
import { useToastAction } from "../forms/use-action";
import { Badge, StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { keepingFocus } from "../ui/keep-focus";
import { SentenceGap } from "../ui/sentence-gap";
import { toast } from "../ui/toast";

/**
 * `partial`: some of the channel's models have no closed circuit. `ChannelUse` is the outcome of the requests of the
 * last 24 hours, as closed circuits alone do not show that a channel works.
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
/** A channel's status dot. It is decorative: `ConditionBadge` beside it carries the text. */
export function ChannelStatusDot({ condition }: { condition: ChannelCondition }) {
  return <StatusDot tone={DOT_TONES[condition]} />;
}

/** The condition as text: a badge, or text for screen readers only while the channel serves. */
export function ConditionBadge({ condition }: { condition: ChannelCondition }) {
  const t = useTranslations("channels.state");
  if (condition === "serving") return <span className="sr-only">{t("serving")}</span>;
  const tone = DOT_TONES[condition];
  return <Badge tone={tone === "off" ? "neutral" : tone}>{t(condition)}</Badge>;
}

/** Three sentences about an open circuit: its cause, what to do, and when the next attempt is made. */
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

/** Explains the open circuits of a channel or of some of its models, with a button that closes them. */
export function CircuitNote({ channel, onChanged }: { channel: Channel; onChanged(): void }) {
  const t = useTranslations("channels");
  const circuitText = useCircuitText();
  const { isBusy, run } = useToastAction();
  const isChannelOut = channel.health.state !== "closed";
  const outages = isChannelOut
    ? [{ name: null, health: channel.health }]
    : channel.broken_models.map((one) => ({ name: one.name, health: one }));

  const close = () =>
    run(async () => {
      await callApi(api.closeCircuit, { params: { id: channel.id }, body: {} });
      toast.success(t("closed", { name: channel.name }));
      onChanged();
    });

  return (
    <div
      className={cn(
        "flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md px-3 py-2 text-sm",
        channel.health.state === "open" ? "bg-bad-soft" : "bg-warn-soft",
      )}
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        {outages.map(({ name, health }) => {
          const { cause, advice, retry } = circuitText(health);
          return (
            <p key={name} className="break-words">
              <span className="font-medium">{name === null ? cause : t("brokenModel", { name, cause })}</span>
              <SentenceGap />
              {/* The countdown differs between server and browser. */}
              <span className="text-ink-muted" suppressHydrationWarning>
                {advice}
                <SentenceGap />
                {retry}
              </span>
            </p>
          );
        })}
      </div>
      <Button variant="outline" size="sm" isBusy={isBusy} onClick={keepingFocus(() => void close())}>
        {t("close")}
      </Button>
    </div>
  );
}
