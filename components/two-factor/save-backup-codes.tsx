"use client";

import { DownloadIcon, PrinterIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { saveFile } from "@/lib/client/save-file";
import { useUnsaved } from "@/lib/client/unsaved";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";

/**
 * Lists new backup codes until the user confirms that they are saved; leaving the page before that asks first. The
 * surrounding dialog or step explains the codes.
 */
export function SaveBackupCodes({
  codes,
  username,
  onSaved,
}: {
  codes: readonly string[];
  username: string;
  onSaved(): void;
}) {
  const t = useTranslations("twoFactor");
  useUnsaved(true, t("codesTitle"));
  return (
    <div className="grid gap-4">
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

/** The codes, to copy, print or download. */
function BackupCodes({ codes, username }: { codes: readonly string[]; username: string }) {
  const t = useTranslations("twoFactor");
  const common = useTranslations("common");
  const heading = t("codesFile", { product: common("product"), username });
  const text = `${heading}\n\n${codes.join("\n")}\n`;
  return (
    <div className="grid max-w-form gap-3">
      <div data-print>
        <p className="hidden print:mb-4 print:block">{heading}</p>
        <ul className="secret-text grid grid-cols-2 justify-items-center gap-x-6 gap-y-2 rounded-md border bg-sunken p-4 text-base tabular">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className="flex flex-wrap gap-2">
        <CopyButton value={codes.join("\n")} label={t("copyCodes")} />
        <Button
          variant="outline"
          size="sm"
          onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "patchbay-backup-codes.txt")}
        >
          <DownloadIcon aria-hidden="true" />
          {common("download")}
        </Button>
        <Button variant="outline" size="sm" onClick={() => window.print()}>
          <PrinterIcon aria-hidden="true" />
          {common("print")}
        </Button>
      </div>
    </div>
  );
}
