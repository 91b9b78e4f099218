"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi, downloadFile } from "@/lib/client/api";
import { saveFile } from "@/lib/client/save-file";
import { useApiCache } from "@/lib/client/use-api";
import type { ImportReport, ImportStep, SettingsFile } from "@/lib/contracts/console/settings-file";
import { CallError } from "../forms/call-error";
import { FormDialog } from "../forms/form-dialog";
import { useAction, useWhileMounted } from "../forms/use-action";
import { useServerText } from "../forms/use-server-text";
import { FirstRows } from "../shell/list-body";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { DialogFooter } from "../ui/dialog";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { toast } from "../ui/toast";
import { PasswordDialog } from "./password-dialog";

const TONES = { create: "good", change: "info", same: "neutral", skip: "warn" } as const;

/** Preview of the changes a settings file would make, with a button that applies them. */
export function ImportDialog({
  name,
  content,
  onClose,
}: {
  name: string;
  content: SettingsFile;
  onClose(): void;
}) {
  const t = useTranslations("settings.import");
  const common = useTranslations("common");
  const { reload } = useApiCache();
  const { report, error: previewError } = usePreview(content);
  const { isBusy, error: applyError, run } = useAction();
  const close = useWhileMounted(onClose);
  const error = applyError ?? previewError;
  const steps = report?.steps ?? [];
  const count = steps.filter(({ action }) => action === "create" || action === "change").length;
  const apply = async () => {
    await callApi(api.importSettings, { body: { dry_run: false, file: content } });
    await reload(api.readSettings, api.readInstanceFacts);
    toast.success(t("done", { count }));
    close();
  };
  return (
    <FormDialog
      title={t("dialogTitle", { name })}
      text={t("dialogText")}
      className="max-w-2xl"
      onClose={onClose}
    >
      <CallError error={error} />
      {report ? <Steps steps={steps} /> : error ? null : <Skeleton className="h-40" />}
      {steps.some(({ kind, action }) => kind === "channel" && action === "create") ? (
        <Notice tone="info">{t("newChannels")}</Notice>
      ) : null}
      <DialogFooter>
        <Button variant="outline" onClick={onClose}>
          {common("cancel")}
        </Button>
        <Button isBusy={isBusy} disabled={count === 0} onClick={() => void run(apply)}>
          {t("apply", { count })}
        </Button>
      </DialogFooter>
    </FormDialog>
  );
}

/** What the file would change. */
function usePreview(content: SettingsFile) {
  const [report, setReport] = useState<ImportReport | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isShown = true;
    callApi(api.importSettings, { body: { dry_run: true, file: content } }).then(
      (preview) => isShown && setReport(preview),
      (failure: unknown) => isShown && setError(failure),
    );
    return () => {
      isShown = false;
    };
  }, [content]);
  return { report, error };
}

/** The changes, what the import skips first: of a large file only the first rows are shown. */
function Steps({ steps }: { steps: readonly ImportStep[] }) {
  const t = useTranslations("settings.import");
  const changes = steps.filter(({ action }) => action === "create" || action === "change");
  const shown = [...steps.filter(({ action }) => action === "skip"), ...changes];
  const same = steps.length - shown.length;
  return (
    <div className="grid gap-2">
      {shown.length === 0 ? (
        <p>{t("nothing")}</p>
      ) : (
        <FirstRows items={shown}>
          {(rows) => (
            // A scroll container must be reachable by keyboard.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable (axe, scrollable-region-focusable)
            <ul tabIndex={0} className="max-h-80 divide-y overflow-y-auto rounded-md border bg-panel">
              {rows.map((step) => (
                <Step key={`${step.kind} ${step.name}`} step={step} />
              ))}
            </ul>
          )}
        </FirstRows>
      )}
      {same > 0 && shown.length > 0 ? (
        <p className="text-sm text-ink-muted">{t("same", { count: same })}</p>
      ) : null}
    </div>
  );
}

function Step({ step }: { step: ImportStep }) {
  const t = useTranslations("settings.import");
  const serverText = useServerText();
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 px-3 py-2">
      <span className="min-w-0">
        <span className="mr-2 text-sm text-ink-muted">{t(`kind.${step.kind}`)}</span>
        <code className="break-words">{step.name}</code>
        {step.reason === null ? null : (
          <span className="block text-sm text-warn">
            {step.kind === "rule" ? t("unknownKey") : serverText(step.reason)}
          </span>
        )}
        {step.kind !== "setting" && step.fields.length > 0 ? (
          <span className="block text-sm text-ink-muted">{step.fields.join(", ")}</span>
        ) : null}
      </span>
      <Badge tone={TONES[step.action]}>{t(`action.${step.action}`)}</Badge>
    </li>
  );
}

/** Asks for the owner's password, then downloads a copy of the database. */
export function BackupDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.backup");
  const close = useWhileMounted(onClose);
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
        close();
      }}
    />
  );
}
