"use client";

import { DownloadIcon } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { api, downloadFile } from "@/lib/client/api";
import { saveFile } from "@/lib/client/save-file";
import type { SettingsFile } from "@/lib/contracts/console/settings-file";
import { CallError } from "../forms/call-error";
import { useAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { OwnerOnly } from "./fields";
import { SearchedSection } from "./search";
import { useSettingsPage, WhileShown } from "./settings-page-context";

const ImportDialog = lazyPart(() => import("./transfer-dialogs").then((one) => one.ImportDialog));
const BackupDialog = lazyPart(() => import("./transfer-dialogs").then((one) => one.BackupDialog));

export function TransferSection() {
  return (
    <>
      <ExportFile />
      <ImportFile />
      <Backup />
    </>
  );
}

function ExportFile() {
  const t = useTranslations("settings.export");
  const { isBusy, error, run } = useAction();
  const save = async () => {
    const { content, name } = await downloadFile(api.exportSettings);
    saveFile(content, name);
  };
  return (
    <SearchedSection title={t("title")} text={t("text")}>
      <div className="grid gap-4">
        <p className="max-w-prose">{t("hint")}</p>
        <CallError error={error} />
        <Button variant="outline" className="w-fit" isBusy={isBusy} onClick={() => void run(save)}>
          <DownloadIcon aria-hidden="true" />
          {t("action")}
        </Button>
      </div>
    </SearchedSection>
  );
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Checks the `format` of an exported file; the server validates the rest. */
function isSettingsFile(content: unknown): content is SettingsFile {
  return (
    typeof content === "object" &&
    content !== null &&
    "format" in content &&
    content.format === "patchbay-settings"
  );
}

function ImportFile() {
  const t = useTranslations("settings.import");
  const { isReadOnly } = useSettingsPage();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<{ name: string; content: SettingsFile } | null>(null);
  const [fileError, setFileError] = useState<"notJson" | "notSettings" | "tooLarge" | null>(null);

  const read = async (file: File) => {
    setFileError(null);
    // A rough limit before parsing: without its indentation, the file may still be small enough.
    if (file.size > 4 * MAX_FILE_BYTES) return setFileError("tooLarge");
    try {
      const content: unknown = JSON.parse(await file.text());
      if (!isSettingsFile(content)) return setFileError("notSettings");
      // Leaves room for the rest of the request body.
      if (new Blob([JSON.stringify(content)]).size > MAX_FILE_BYTES - 1_024) return setFileError("tooLarge");
      setChosen({ name: file.name, content });
    } catch {
      setFileError("notJson");
    }
  };
  return (
    <SearchedSection title={t("title")} text={t("text")}>
      <div className="grid gap-4">
        <p className="max-w-prose">{t("hint")}</p>
        {fileError ? (
          <Notice tone="bad" isLive>
            {t(fileError)}
          </Notice>
        ) : null}
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          aria-label={t("choose")}
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            // Allows choosing the same file again after it was corrected.
            if (file) void read(file).finally(() => (event.target.value = ""));
          }}
        />
        <Button
          variant="outline"
          className="w-fit"
          disabled={isReadOnly}
          onClick={() => input.current?.click()}
        >
          {t("choose")}
        </Button>
      </div>
      <WhileShown onHide={() => setChosen(null)}>
        {chosen ? (
          <ImportDialog name={chosen.name} content={chosen.content} onClose={() => setChosen(null)} />
        ) : null}
      </WhileShown>
    </SearchedSection>
  );
}

/** Not translated: a shell command. */
const DUMP = "pg_dump --format=custom --file=patchbay.dump $DATABASE_URL";

function Backup() {
  const t = useTranslations("settings.backup");
  const { facts, isOwner } = useSettingsPage();
  const [isOpen, setOpen] = useState(false);
  return (
    <SearchedSection title={t("title")} text={t("text")} status={isOwner ? null : <OwnerOnly />}>
      <div className="grid gap-4">
        <p className="max-w-prose">{t("hint")}</p>
        {facts.store === "postgres" ? (
          <div className="grid gap-2">
            <p>{t("postgres")}</p>
            <code className="rounded-md border bg-sunken px-3 py-2 break-all">{DUMP}</code>
          </div>
        ) : isOwner ? (
          <Button variant="outline" className="w-fit" onClick={() => setOpen(true)}>
            <DownloadIcon aria-hidden="true" />
            {t("action")}
          </Button>
        ) : null}
      </div>
      <WhileShown onHide={() => setOpen(false)}>
        {isOpen ? <BackupDialog onClose={() => setOpen(false)} /> : null}
      </WhileShown>
    </SearchedSection>
  );
}
