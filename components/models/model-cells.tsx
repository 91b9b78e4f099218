"use client";

import { ArrowRightIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { pricingOf } from "@/lib/client/pricing";
import type { Model, Prices } from "@/lib/contracts/console/models";
import { useAmounts } from "../charts/use-amounts";
import { Badge, StatusDot } from "../ui/badge";
import { cn } from "../ui/class-names";
import { Facts } from "../ui/facts";

const UNITS = [
  "input_per_million_tokens",
  "input_per_million_characters",
  "output_per_million_tokens",
  "output_per_million_seconds",
] as const satisfies readonly (keyof Prices)[];

/** Prices of a model, one line per priced unit. */
export function ModelPrice({ model }: { model: Model }) {
  const t = useTranslations("models");
  const { exactMoney } = useAmounts();
  const prices = UNITS.map((unit) => {
    const usd = model.prices[unit];
    return { unit, usd: usd === null ? null : Number(usd) };
  });
  const isBuiltIn = model.channels.length > 0 && model.channels.every((channel) => channel.embedded);
  const pricing = pricingOf(
    prices.map(({ usd }) => usd),
    isBuiltIn,
  );
  if (pricing !== "priced")
    return (
      <span className="whitespace-nowrap text-ink-muted">{t(pricing === "free" ? "free" : "noPrice")}</span>
    );
  const priced = prices.flatMap(({ unit, usd }) => (usd === null || usd === 0 ? [] : [{ unit, usd }]));
  return (
    <span className="tabular grid text-sm whitespace-nowrap">
      {priced.map(({ unit, usd }) => (
        <span key={unit}>
          {t(`price.${unit}`, {
            usd: exactMoney(usd),
          })}
        </span>
      ))}
    </span>
  );
}

/** The channels that serve a model, with their health: "+" between channels of one tier, an arrow to the next tier. */
export function ServedBy({ model }: { model: Model }) {
  const t = useTranslations("models");
  if (model.channels.length === 0)
    return (
      <span className="text-warn" title={t("noChannelText")}>
        {t("noChannel")}
      </span>
    );
  return (
    <ul className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-sm">
      {model.channels.map((channel, index) => {
        const before = model.channels[index - 1];
        return (
          <li key={channel.id} className="flex items-center gap-1.5">
            {before === undefined ? null : before.priority === channel.priority ? (
              <span aria-hidden="true" className="text-ink-faint">
                +
              </span>
            ) : (
              <>
                <ArrowRightIcon aria-hidden="true" className="size-3.5 text-ink-faint" />
                <span className="sr-only">{t("next")}</span>
              </>
            )}
            <StatusDot tone={HEALTH_TONES[healthOf(channel)]} />
            <Link
              prefetch={false}
              href={`/channels/${encodeURIComponent(channel.id)}`}
              className={cn(
                "rounded-sm wrap-anywhere underline-offset-4 hover:underline",
                !channel.enabled && "text-ink-faint line-through",
              )}
            >
              {channel.name}
            </Link>
            <ChannelHealth channel={channel} />
          </li>
        );
      })}
    </ul>
  );
}

type ServingChannel = Model["channels"][number];
export const HEALTH_TONES = {
  serving: "good",
  failing: "bad",
  none: "off",
  half_open: "warn",
  open: "bad",
  disabled: "off",
} as const;

function healthOf({ enabled, state, use }: ServingChannel) {
  if (!enabled) return "disabled";
  return state === "closed" ? use : state;
}

/** The health of a channel as text: a badge if the channel fails or is off, else for screen readers only. */
function ChannelHealth({ channel }: { channel: ServingChannel }) {
  const t = useTranslations("channels.state");
  const health = healthOf(channel);
  if (health === "serving" || health === "none") return <span className="sr-only">{t(health)}</span>;
  const tone = HEALTH_TONES[health];
  return <Badge tone={tone === "off" ? "neutral" : tone}>{t(health)}</Badge>;
}

/** The enabled options of a model. */
export function ModelOptions({ model }: { model: Model }) {
  const t = useTranslations("models");
  const on = [model.cacheable ? t("cache") : "", model.batching ? t("batching") : ""].filter(Boolean);
  if (on.length === 0) return <span className="text-ink-faint">–</span>;
  return <Facts className="text-sm text-ink-muted">{on}</Facts>;
}
