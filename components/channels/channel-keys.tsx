"use client";

import { useState } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { channelPath } from "@/lib/client/channels";
import type { Channel } from "@/lib/contracts/console/channels";
import { useErrorText } from "../forms/error-text";
import { Button } from "../ui/button";
import { Lamp } from "../ui/status-dot";
import { useCircuitWords } from "./channel-state";

const LAMPS = { closed: "good", half_open: "warn", open: "bad" } as const;

/** The keys of a channel by their last characters, each with its own circuit. */
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
  const tell = useErrorText();
  const words = useCircuitWords();
  const [isBusy, setBusy] = useState(false);
  const isWell = key.state === "closed";
  const { why, advice, until } = words(key);
  const close = async () => {
    setBusy(true);
    try {
      await api.post(`${channelPath(channel.id)}/close`, { key_id: key.id });
      onChanged();
    } catch (failure) {
      toast.error(tell(failure).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="grid gap-2 px-3 py-2">
      <span className="flex min-h-8 flex-wrap items-center justify-between gap-3">
        <span className="flex items-center gap-2.5">
          <Lamp tone={LAMPS[key.state]} />
          <code>{key.display}</code>
          <span className="text-sm text-ink-muted">
            {t(isWell ? "state.serving" : `state.${key.state === "open" ? "open" : "half_open"}`)}
          </span>
        </span>
        {isWell ? null : (
          <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void close()}>
            {t("close")}
          </Button>
        )}
      </span>
      {isWell ? null : (
        <p className="pb-1 text-sm">
          {why} <span className="text-ink-muted" suppressHydrationWarning>{`${advice} ${until}`}</span>
        </p>
      )}
    </li>
  );
}
