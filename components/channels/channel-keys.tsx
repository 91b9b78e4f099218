"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel } from "@/lib/contracts/console/channels";
import { useToastAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { ChannelStatusDot, useCircuitText } from "./channel-state";

/** The upstream keys of a channel by label, else by their last characters, each with the state of its circuit breaker. */
export function ChannelKeys({ channel, onChanged }: { channel: Channel; onChanged(): void }) {
  const t = useTranslations("channels");
  if (channel.keys.length === 0) return <p className="text-ink-muted">{t("detail.noKeys")}</p>;
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {channel.keys.map((key) => (
        <ChannelKey key={key.id} of={key} channel={channel} onChanged={onChanged} />
      ))}
    </ul>
  );
}

function ChannelKey({
  of: key,
  channel,
  onChanged,
}: {
  of: Channel["keys"][number];
  channel: Channel;
  onChanged(): void;
}) {
  const t = useTranslations("channels");
  const circuitText = useCircuitText();
  const { isBusy, run } = useToastAction();
  const isClosed = key.state === "closed";
  // Requests are not counted by key: one with a closed circuit is shown as its channel is.
  const condition = key.state === "closed" ? channel.use : key.state;
  const { cause, advice, retry } = circuitText(key);
  const close = () =>
    run(async () => {
      await callApi(api.closeCircuit, { params: { id: channel.id }, body: { key_id: key.id } });
      onChanged();
    });
  return (
    <li className="grid gap-2 px-3 py-2">
      <span className="flex min-h-8 flex-wrap items-center justify-between gap-3">
        <span className="flex items-center gap-2.5">
          <ChannelStatusDot condition={condition} />
          {key.label === null ? <code>{key.display}</code> : <span title={key.display}>{key.label}</span>}
          <span className="text-sm text-ink-muted">{t(`state.${condition}`)}</span>
        </span>
        {isClosed ? null : (
          <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void close()}>
            {t("close")}
          </Button>
        )}
      </span>
      {isClosed ? null : (
        <p className="pb-1 text-sm">
          {cause} <span className="text-ink-muted" suppressHydrationWarning>{`${advice} ${retry}`}</span>
        </p>
      )}
    </li>
  );
}
