"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { Channel } from "@/lib/contracts/console/channels";
import type { Model } from "@/lib/contracts/console/models";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { FormDialog } from "../forms/form-dialog";
import { useWhileMounted } from "../forms/use-action";
import { Notice } from "../ui/notice";
import { toast } from "../ui/toast";
import { SavedTests } from "./saved-tests";

export interface ChannelDialog {
  kind: "test" | "delete";
  channel: Channel;
}

/** Renders the open dialog of a channel: test or delete. */
export function ChannelDialogs({
  dialog: { kind, channel },
  onTested,
  onDeleting,
  onDeleted,
  onClose,
}: {
  dialog: ChannelDialog;
  onTested(): void;
  /** Set by the channel's own page: true while it is being deleted, to stop polling it; false if deleting failed. */
  onDeleting?(isDeleting: boolean): void;
  /** Called once the channel is deleted, even if the dialog was closed meanwhile. */
  onDeleted(): void;
  onClose(): void;
}) {
  const t = useTranslations("channels");
  const named = useTranslations("common.named");
  const closeOwn = useWhileMounted(onClose);
  switch (kind) {
    case "test":
      return (
        <FormDialog title={t("form.testOf", { name: channel.name })} className="max-w-lg" onClose={onClose}>
          <SavedTests channel={channel} onTested={onTested} />
        </FormDialog>
      );
    case "delete":
      return (
        <ConfirmDialog
          title={t("delete.title", { name: channel.name })}
          text={t("delete.text")}
          action={t("delete.action")}
          typedName={channel.name}
          onConfirm={async () => {
            onDeleting?.(true);
            try {
              await callApi(api.deleteChannel, { params: { id: channel.id } });
            } catch (failure) {
              onDeleting?.(false);
              throw failure;
            }
            onDeleted();
            closeOwn();
            toast.success(named("deleted", { name: channel.name }));
          }}
          onClose={onClose}
        >
          <ModelsLeft channelId={channel.id} />
        </ConfirmDialog>
      );
    default:
      return kind satisfies never;
  }
}

const SHOWN_MODELS = 5;

/** Names of this channel's models that no other enabled channel serves. */
export function modelsOnlyOn(
  channelId: string,
  models: readonly Pick<Model, "name" | "channels">[],
): string[] {
  return models
    .filter(({ channels }) => channels.some((one) => one.id === channelId))
    .filter(({ channels }) => !channels.some((one) => one.enabled && one.id !== channelId))
    .map(({ name }) => name);
}

/** Warns about the models whose requests fail once the channel is deleted; renders nothing if there are none. */
function ModelsLeft({ channelId }: { channelId: string }) {
  const t = useTranslations("channels");
  const { data } = useApi(api.listModels);
  const names = modelsOnlyOn(channelId, data?.items ?? []);
  if (names.length === 0) return null;
  const rest = names.length - SHOWN_MODELS;
  return (
    <Notice tone="warn" title={t("delete.modelsLeft")} isLive>
      <span className="wrap-anywhere">{names.slice(0, SHOWN_MODELS).join(", ")}</span>
      {rest > 0 ? <> {t("moreModels", { count: rest })}</> : null}
    </Notice>
  );
}
