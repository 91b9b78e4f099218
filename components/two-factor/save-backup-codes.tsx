"use client";

import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { BackupCodes } from "./backup-codes";

/** The codes, why they matter, and the word that they are kept. */
export function SaveBackupCodes({
  codes,
  username,
  isHeaded = false,
  onSaved,
}: {
  codes: readonly string[];
  username: string;
  /** The place around it already says what they are for. */
  isHeaded?: boolean;
  onSaved(): void;
}) {
  const t = useTranslations("twoFactor");
  return (
    <div className="grid gap-4">
      {isHeaded ? null : (
        <div className="grid gap-1">
          <h3 className="text-base">{t("codesTitle")}</h3>
          <p className="text-ink-muted">{t("codesText")}</p>
        </div>
      )}
      <BackupCodes codes={codes} username={username} />
      <div className="grid gap-2">
        <Button className="w-fit" onClick={onSaved}>
          {t("codesSaved")}
        </Button>
        <p className="text-sm text-ink-muted">{t("codesSavedHint")}</p>
      </div>
    </div>
  );
}
