"use client";

import { useState } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { channelPath } from "@/lib/client/channels";
import type { Channel } from "@/lib/contracts/console/channels";
import { useErrorText } from "../forms/error-text";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { useCircuitWords } from "./channel-state";

/** Why a channel, or some of its models, takes no calls, and a button that closes its circuits. */
export function CircuitNote({
  channel,
  onChanged,
  className,
}: {
  channel: Channel;
  onChanged(): void;
  className?: string;
}) {
  const t = useTranslations("channels");
  const tell = useErrorText();
  const words = useCircuitWords();
  const [isBusy, setBusy] = useState(false);
  const isWhole = channel.health.state !== "closed";
  const troubles = isWhole
    ? [{ name: null, health: channel.health }]
    : channel.broken_models.map((one) => ({ name: one.name, health: one }));

  const close = async () => {
    setBusy(true);
    try {
      await api.post(`${channelPath(channel.id)}/close`);
      toast.success(t("closed", { name: channel.name }));
      onChanged();
    } catch (failure) {
      toast.error(tell(failure).message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div
      className={cn(
        "flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md px-3 py-2 text-sm",
        channel.health.state === "open" ? "bg-bad-soft" : "bg-warn-soft",
        className,
      )}
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        {troubles.map(({ name, health }) => {
          const { why, advice, until } = words(health);
          return (
            <p key={name} className="break-words">
              <span className="font-medium">{name === null ? why : t("brokenModel", { name, why })}</span>{" "}
              {/* The seconds that are left go on while the page travels. */}
              <span className="text-ink-muted" suppressHydrationWarning>
                {`${advice} ${until}`}
              </span>
            </p>
          );
        })}
      </div>
      <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void close()}>
        {t("close")}
      </Button>
    </div>
  );
}
