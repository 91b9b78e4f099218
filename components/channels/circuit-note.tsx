"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel } from "@/lib/contracts/console/channels";
import { useToastAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { toast } from "../ui/toast";
import { useCircuitText } from "./channel-state";

/** Explains the open circuits of a channel or of some of its models, with a button that closes them. */
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
        className,
      )}
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        {outages.map(({ name, health }) => {
          const { cause, advice, retry } = circuitText(health);
          return (
            <p key={name} className="break-words">
              <span className="font-medium">{name === null ? cause : t("brokenModel", { name, cause })}</span>{" "}
              {/* The countdown differs between server and browser. */}
              <span className="text-ink-muted" suppressHydrationWarning>
                {`${advice} ${retry}`}
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
