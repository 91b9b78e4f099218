"use client";

import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { api, downloadFile } from "@/lib/client/api";
import { saveFile } from "@/lib/client/save-file";
import { PasswordDialog } from "./password-dialog";

/** Asks for the owner's password, then downloads a copy of the database. */
export function BackupDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.backup");
  return (
    <PasswordDialog
      title={t("dialogTitle")}
      text={t("dialogText")}
      action={t("action")}
      onClose={onClose}
      onProof={async (password) => {
        const { content, name } = await downloadFile(api.downloadBackup, { body: { password } });
        saveFile(content, name);
        toast.success(t("done"));
        onClose();
      }}
    />
  );
}
