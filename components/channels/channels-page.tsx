"use client";

import { CableIcon, PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import {
  type DropPlace,
  drop,
  isSameOrder,
  stepEarlier,
  stepLater,
  type Tiers,
  tiersOf,
} from "@/lib/client/channel-order";
import {
  channelPath,
  channelsFallback,
  type FirstChannels,
  useChannels,
  useChannelTraffic,
} from "@/lib/client/channels";
import type { Channel } from "@/lib/contracts/console/channels";
import { CallError } from "../forms/call-error";
import { useErrorText } from "../forms/error-text";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import type { ChannelDialog } from "./channel-dialogs";
import { ChannelList, ChannelListSkeleton } from "./channel-list";
import type { ChannelAction } from "./channel-menu";

const ChannelDialogs = dynamic(() => import("./channel-dialogs").then((one) => one.ChannelDialogs), {
  ssr: false,
});

/** Where calls go, in the order in which it is tried. */
export function ChannelsPage({ first }: { first: FirstChannels }) {
  return (
    <SWRConfig value={{ fallback: channelsFallback(first) }}>
      <Content />
    </SWRConfig>
  );
}

function Content() {
  const t = useTranslations("channels");
  const tell = useErrorText();
  const router = useRouter();
  const traffic = useChannelTraffic();
  const { channels, order, error, reload } = useChannels();
  const [dialog, setDialog] = useState<ChannelDialog | null>(null);
  const [moved, setMoved] = useState("");
  const tiers = tiersOf(channels ?? []);
  const placeOf = (id: string) => placeIn(tiers, id);

  const rearrange = async (id: string, next: Tiers) => {
    if (!channels || isSameOrder(tiers, next)) return;
    setMoved(describeMove(channels, next, id));
    try {
      await order(next);
    } catch (failure) {
      toast.error(isApiError(failure, "conflict") ? t("moveStale") : tell(failure).message);
      await reload();
    }
  };
  const describeMove = (all: readonly Channel[], next: Tiers, id: string): string => {
    const nameOf = (one: string) => all.find((channel) => channel.id === one)?.name ?? "";
    const others = (next[placeIn(next, id) - 1] ?? []).filter((one) => one !== id).map(nameOf);
    const place = placeIn(next, id);
    return others.length > 0
      ? t("movedShared", { name: nameOf(id), place, others: others.join(", ") })
      : t("movedAlone", { name: nameOf(id), place });
  };

  const toggle = async (channel: Channel, enabled: boolean) => {
    try {
      await api.patch(channelPath(channel.id), { enabled, version: channel.version });
      toast.success(t(enabled ? "enabled" : "disabled", { name: channel.name }));
    } catch (failure) {
      const isStale = isApiError(failure, "conflict");
      toast.error(isStale ? t("stale", { name: channel.name }) : tell(failure).message);
    }
    await reload();
  };

  const act = (action: ChannelAction, channel: Channel) => {
    switch (action) {
      case "edit":
        return router.push(`/channels/${encodeURIComponent(channel.id)}/edit`);
      case "earlier":
        return void rearrange(channel.id, stepEarlier(tiers, channel.id));
      case "later":
        return void rearrange(channel.id, stepLater(tiers, channel.id));
      case "test":
      case "delete":
        return setDialog({ kind: action, channel });
      default:
        return action satisfies never;
    }
  };

  const addButton = (
    <Button asChild>
      <Link href="/channels/new">
        <PlusIcon aria-hidden="true" />
        {t("add")}
      </Link>
    </Button>
  );
  const hasOwn = channels?.some((channel) => !channel.embedded);
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} action={channels && hasOwn ? addButton : null} />
      <p role="status" className="sr-only">
        {moved}
      </p>
      {error && !channels ? (
        <CallError error={error} onRetry={() => void reload()} />
      ) : !channels ? (
        <ChannelListSkeleton />
      ) : (
        <div className="grid gap-4">
          {channels.length > 0 ? (
            <>
              <ChannelList
                channels={channels}
                placeOf={placeOf}
                traffic={traffic}
                onAction={act}
                onToggle={(channel, enabled) => void toggle(channel, enabled)}
                onDrop={(id: string, place: DropPlace) => void rearrange(id, drop(tiers, id, place))}
                onChanged={() => void reload()}
              />
              <p className="text-sm text-ink-faint">{t("table.window")}</p>
            </>
          ) : null}
          {hasOwn ? null : (
            <EmptyState
              icon={<CableIcon />}
              title={t(channels.length > 0 ? "onlyBuiltIn.title" : "empty.title")}
              action={addButton}
            >
              {t(channels.length > 0 ? "onlyBuiltIn.text" : "empty.text")}
            </EmptyState>
          )}
        </div>
      )}
      {dialog ? (
        <ChannelDialogs dialog={dialog} onChanged={() => void reload()} onClose={() => setDialog(null)} />
      ) : null}
    </div>
  );
}

const placeIn = (tiers: Tiers, id: string): number => tiers.findIndex((tier) => tier.includes(id)) + 1;
