"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { finishChange, useWhileMounted } from "../forms/use-action";

/** Asks for the voice's name, then deletes its files, channel and model. */
export function RemoveDialog({
  name,
  onRemoved,
  onClose,
}: {
  name: string;
  onRemoved(): void;
  onClose(): void;
}) {
  const t = useTranslations("localVoices.remove");
  const close = useWhileMounted(onClose);
  return (
    <ConfirmDialog
      title={t("title", { name })}
      text={t("text")}
      action={t("action")}
      typedName={name}
      onConfirm={async () => {
        await callApi(api.removeVoice, { params: { name } });
        finishChange(onRemoved, close, t("done", { name }));
      }}
      onClose={onClose}
    />
  );
}
