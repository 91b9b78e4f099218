"use client";

import { DownloadIcon, PrinterIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { saveFile } from "@/lib/client/save-file";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";

/** Ten codes to copy, print and download. */
export function BackupCodes({ codes, username }: { codes: readonly string[]; username: string }) {
  const t = useTranslations("twoFactor");
  const common = useTranslations("common");
  const heading = t("codesFile", { product: common("product"), username });
  const text = `${heading}\n\n${codes.join("\n")}\n`;
  return (
    <div className="grid max-w-form gap-3">
      <div data-print>
        <p className="hidden print:mb-4 print:block">{heading}</p>
        <ul className="grid grid-cols-2 justify-items-center gap-x-6 gap-y-2 rounded-md border bg-sunken p-4 font-mono text-base tabular-nums">
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
