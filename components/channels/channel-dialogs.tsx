"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel } from "@/lib/contracts/console/channels";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { FormDialog } from "../forms/form-dialog";
import { toast } from "../ui/toast";
import { SavedTests } from "./saved-tests";

export interface ChannelDialog {
  kind: "test" | "delete";
  channel: Channel;
}

/** Renders the open dialog of a channel: test or delete. */
export function ChannelDialogs({
  dialog: { kind, channel },
  onChanged,
  onDeleting,
  onClose,
}: {
  dialog: ChannelDialog;
  /** Called after a test or a delete: the channel's data has to be reloaded. */
  onChanged(): void;
  /** Set by the channel's own page: true while it is being deleted, to stop polling it; false if deleting failed. */
  onDeleting?(isDeleting: boolean): void;
  onClose(): void;
}) {
  const t = useTranslations("channels");
  const router = useRouter();
  switch (kind) {
    case "test":
      return (
        <FormDialog title={t("form.testOf", { name: channel.name })} className="max-w-lg" onClose={onClose}>
          <SavedTests channel={channel} onTested={onChanged} />
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
            if (onDeleting) router.push("/channels");
            else onChanged();
            onClose();
            toast.success(t("deleted", { name: channel.name }));
          }}
          onClose={onClose}
        />
      );
    default:
      return kind satisfies never;
  }
}
