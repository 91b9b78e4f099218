"use client";

import { AudioWaveformIcon, CableIcon, PlusIcon } from "lucide-react";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import {
  type DropTarget,
  drop,
  isSameOrder,
  stepEarlier,
  stepLater,
  type Tiers,
  tiersOf,
} from "@/lib/client/channel-order";
import { setQueryParam } from "@/lib/client/query-params";
import type { Channel } from "@/lib/contracts/console/channels";
import { CallError } from "../forms/call-error";
import { useErrorToast, useItemChange } from "../forms/use-action";
import { FirstRows, NoSearchResults, ResultCount } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { lazyPart } from "../ui/lazy-part";
import { SearchField } from "../ui/search-field";
import type { ChannelDialog } from "./channel-dialogs";
import { ChannelList, ChannelListSkeleton } from "./channel-list";
import type { ChannelAction } from "./channel-menu";
import { channelsFallback, type FirstChannels, useChannels, useChannelTraffic } from "./use-channels";

const TestAll = lazyPart(() => import("./test-all").then((one) => one.TestAll));
const ChannelDialogs = lazyPart(() => import("./channel-dialogs").then((one) => one.ChannelDialogs));

/** Number of channels from which the search is shown. */
const SEARCH_FROM = 13;

/** The list of channels in priority order. `first`: data read on the server, shown until all channels are loaded. */
export function ChannelsPage({ first }: { first: FirstChannels }) {
  return (
    <SWRConfig value={{ fallback: channelsFallback(first) }}>
      <Content first={first.channels.items} />
    </SWRConfig>
  );
}

/** Channels whose name, address or a model contains the text. */
function filterChannels(channels: readonly Channel[], q: string): readonly Channel[] {
  const text = q.trim().toLowerCase();
  if (text === "") return channels;
  return channels.filter(({ name, base_url, models }) =>
    [name, base_url ?? "", ...models.map((model) => model.name)].some((one) =>
      one.toLowerCase().includes(text),
    ),
  );
}

function Content({ first }: { first: readonly Channel[] }) {
  const t = useTranslations("channels");
  const q = useSearchParams().get("q") ?? "";
  const traffic = useChannelTraffic();
  const { channels: all, order, error, reload } = useChannels();
  const channels = all ?? first;
  const shown = all || q === "" ? filterChannels(channels, q) : undefined;
  const [dialog, setDialog] = useState<ChannelDialog | null>(null);
  const [isTesting, setTesting] = useState(false);
  const { tiers, reorder, moveMessage } = useReorder(channels, all ? order : null, reload);
  const toggle = useToggle(reload);
  const act = useChannelActions(tiers, reorder, setDialog);

  const hasOwn = channels.some((channel) => !channel.embedded);
  return (
    <div className="mx-auto max-w-page">
      <Header hasOwn={hasOwn} onTestAll={() => setTesting(true)} />
      <p role="status" className="sr-only">
        {moveMessage}
      </p>
      {channels.length >= SEARCH_FROM || q !== "" ? (
        <SearchField label={t("search")} value={q} onValueChange={search} className="mb-4" />
      ) : null}
      <ResultCount query={q} rows={q === "" ? undefined : shown} hasMore={false} />
      {error && !all ? <CallError error={error} onRetry={() => void reload()} className="mb-4" /> : null}
      {!shown ? (
        error ? null : (
          <ChannelListSkeleton />
        )
      ) : channels.length > 0 && shown.length === 0 ? (
        <NoSearchResults title={t("noMatch.title")} text={t("noMatch.text")} onClear={() => search(null)} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          {shown.length > 0 ? (
            <>
              <FirstRows items={shown}>
                {(rows) => (
                  <ChannelList
                    channels={rows}
                    positionOf={(id) => positionIn(tiers, id)}
                    traffic={traffic}
                    onAction={act}
                    onToggle={toggle}
                    onDrop={(id: string, target: DropTarget) => void reorder(id, drop(tiers, id, target))}
                    onChanged={() => void reload()}
                  />
                )}
              </FirstRows>
              <p className="text-sm text-ink-faint">{t("table.window")}</p>
            </>
          ) : null}
          {hasOwn ? null : <NoOwnChannels state={channels.length > 0 ? "onlyBuiltIn" : "empty"} />}
        </div>
      )}
      {isTesting && all ? (
        <TestAll channels={all} onTested={() => void reload()} onClose={() => setTesting(false)} />
      ) : null}
      {dialog ? (
        <ChannelDialogs
          dialog={dialog}
          onTested={() => void reload()}
          onDeleted={() => void reload()}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </div>
  );
}

const search = (text: string | null) => setQueryParam("q", text);

function AddButton() {
  const t = useTranslations("channels");
  return (
    <Button asChild>
      <Link href="/channels/new">
        <PlusIcon aria-hidden="true" />
        {t("add")}
      </Link>
    </Button>
  );
}

/** The title, and without own channels no buttons: the empty state has one. */
function Header({ hasOwn, onTestAll }: { hasOwn: boolean; onTestAll(): void }) {
  const t = useTranslations("channels");
  const actions = (
    <div className="flex flex-wrap gap-2">
      <Button variant="outline" onClick={onTestAll}>
        <AudioWaveformIcon aria-hidden="true" />
        {t("testAll.action")}
      </Button>
      <AddButton />
    </div>
  );
  return <PageHeader title={t("title")} description={t("lead")} action={hasOwn ? actions : null} />;
}

/** Shown while there are only built-in channels or none. */
function NoOwnChannels({ state }: { state: "onlyBuiltIn" | "empty" }) {
  const t = useTranslations("channels");
  return (
    <EmptyState icon={<CableIcon />} title={t(`${state}.title`)} action={<AddButton />}>
      {t(`${state}.text`)}
    </EmptyState>
  );
}

function useChannelActions(
  tiers: Tiers,
  reorder: (id: string, next: Tiers) => Promise<void>,
  openDialog: (dialog: ChannelDialog) => void,
) {
  const router = useRouter();
  return (action: ChannelAction, channel: Channel) => {
    switch (action) {
      case "edit":
        return router.push(`/channels/${encodeURIComponent(channel.id)}/edit`);
      case "earlier":
        return void reorder(channel.id, stepEarlier(tiers, channel.id));
      case "later":
        return void reorder(channel.id, stepLater(tiers, channel.id));
      case "test":
      case "delete":
        return openDialog({ kind: action, channel });
      default:
        return action satisfies never;
    }
  };
}

/**
 * Saves a new order; `order` null: not all channels are loaded. `moveMessage` describes the last move for screen-reader
 * users.
 */
function useReorder(
  channels: readonly Channel[],
  order: ((tiers: Tiers) => Promise<void>) | null,
  reload: () => Promise<unknown>,
) {
  const t = useTranslations("channels");
  const showError = useErrorToast();
  const [moveMessage, setMoveMessage] = useState("");
  const tiers = tiersOf(channels);

  const describeMove = (all: readonly Channel[], next: Tiers, id: string): string => {
    const nameOf = (other: string) => all.find((channel) => channel.id === other)?.name ?? "";
    const position = positionIn(next, id);
    const others = (next[position - 1] ?? []).filter((other) => other !== id).map(nameOf);
    return others.length > 0
      ? t("movedShared", { name: nameOf(id), position, others: others.join(", ") })
      : t("movedAlone", { name: nameOf(id), position });
  };
  const reorder = async (id: string, next: Tiers) => {
    if (!order || isSameOrder(tiers, next)) return;
    setMoveMessage(describeMove(channels, next, id));
    try {
      await order(next);
    } catch (failure) {
      showError(failure, t("moveStale"));
      await reload();
    }
  };
  return { tiers, reorder, moveMessage };
}

/** Enables or disables a channel. */
function useToggle(reload: () => Promise<unknown>) {
  const named = useTranslations("common.named");
  const save = useItemChange(reload);
  return ({ id, name, version }: Channel, enabled: boolean) =>
    save(
      callApi(api.updateChannel, { params: { id }, body: { enabled, version } }),
      named(enabled ? "enabled" : "disabled", { name }),
      named("stale", { name }),
    );
}

/** Number of the tier that holds the channel, from 1. */
const positionIn = (tiers: Tiers, id: string): number => tiers.findIndex((tier) => tier.includes(id)) + 1;
