"use client";

import { ChevronLeftIcon, UploadIcon } from "lucide-react";
import Link from "next/link";
import { type MouseEvent, type MouseEventHandler, useEffect, useEffectEvent, useRef, useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached, callApi } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { InstalledVoice, LocalVoiceList, VoiceInstallation } from "@/lib/contracts/console/local-voices";
import { useAmounts } from "../charts/use-amounts";
import { CallError, useErrorText } from "../forms/call-error";
import { useServerText } from "../forms/use-server-text";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { leaveRow } from "../ui/leave-row";
import { Notice } from "../ui/notice";
import { Progress } from "../ui/progress";
import { Skeleton } from "../ui/skeleton";
import { toast } from "../ui/toast";
import { Catalogue } from "./catalogue";
import { InstalledVoices } from "./installed-voices";

/**
 * Milliseconds between polls of the list: while a voice is being installed, and otherwise. Without an installation, the
 * list still changes when a folder is copied to the disk or a real-time factor is measured.
 */
const BUSY_MS = 1_000;
const IDLE_MS = 15_000;

const UploadDialog = lazyPart(() => import("./upload-dialog").then((one) => one.UploadDialog));
const RemoveDialog = lazyPart(() => import("./remove-dialog").then((one) => one.RemoveDialog));
const MappingSheet = lazyPart(() => import("./mapping-sheet").then((one) => one.MappingSheet));

type OpenDialog = { kind: "upload" } | { kind: "remove" | "mapping"; name: string };

/** The neural voices of this machine. `first`: data read on the server. */
export function LocalVoicesPage({ first }: { first: LocalVoiceList }) {
  return (
    <SWRConfig value={{ fallback: cached(api.listVoices, {}, first) }}>
      <Content />
    </SWRConfig>
  );
}

function Content() {
  const t = useTranslations("localVoices");
  const errorText = useErrorText();
  const { data, error, mutate } = useApi(
    api.listVoices,
    {},
    {
      refreshInterval: (list) =>
        list?.installations.some(({ state }) => state === "running") ? BUSY_MS : IDLE_MS,
    },
  );
  useInstalledToast(data);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  /** Runs a call, shows its failure as a toast, and reloads the list. */
  const act = async (work: () => Promise<unknown>) => {
    await work().catch((failure: unknown) => toast.error(errorText(failure).message));
    await mutate();
  };
  const close = () => setDialog(null);
  const chosen = (name: string) => data?.installed.find((voice) => voice.name === name);
  return (
    <div className="mx-auto max-w-page">
      <BackToModels />
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={
          data?.enabled ? (
            <Button variant="outline" onClick={() => setDialog({ kind: "upload" })}>
              <UploadIcon aria-hidden="true" />
              {t("upload.open")}
            </Button>
          ) : null
        }
      />
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-40 rounded-md" />
      ) : !data.enabled ? (
        <Notice tone="info" title={t("off.title")}>
          {t("off.text")}
        </Notice>
      ) : (
        <div className="grid gap-10">
          <Installations
            installations={data.installations}
            onCancel={(name) => act(() => callApi(api.cancelInstallation, { params: { name } }))}
          />
          <InstalledVoices
            list={data}
            onVerify={(voice) => act(() => verify(voice, t))}
            onMap={(name) => setDialog({ kind: "mapping", name })}
            onRemove={(name) => setDialog({ kind: "remove", name })}
          />
          <Catalogue
            list={data}
            onDownload={(name) => act(() => callApi(api.downloadVoice, { body: { name } }))}
          />
        </div>
      )}
      {dialog?.kind === "upload" ? <UploadDialog onUploaded={() => void mutate()} onClose={close} /> : null}
      {dialog?.kind === "remove" ? (
        <RemoveDialog name={dialog.name} onRemoved={() => void mutate()} onClose={close} />
      ) : null}
      {dialog?.kind === "mapping" ? (
        <MappingSheet voice={chosen(dialog.name)} onReload={mutate} onClose={close} />
      ) : null}
    </div>
  );
}

/** Shows a message for each voice that was installed since the page was opened. */
function useInstalledToast(list: LocalVoiceList | undefined): void {
  const t = useTranslations("localVoices");
  const known = useRef<ReadonlySet<string> | null>(null);
  const report = useEffectEvent(({ installed, broken, installations }: LocalVoiceList) => {
    const added = installed.filter(({ name }) => known.current?.has(name) === false);
    for (const { name } of added) toast.success(t("installedNamed", { name }));
    // A broken voice counts as known, as its disk may only be unmounted: mounting it again is no installation. While a
    // voice of that name is being installed, it does not count, so that its message is shown.
    const away = broken.filter(
      ({ name }) => !installations.some((one) => one.name === name && one.state === "running"),
    );
    known.current = new Set([...installed, ...away].map(({ name }) => name));
  });
  useEffect(() => {
    if (list) report(list);
  }, [list]);
}

function BackToModels() {
  const t = useTranslations("localVoices");
  return (
    <Link
      href="/models"
      className="mb-3 inline-flex items-center gap-1 rounded-sm text-sm text-ink-muted hover:text-ink"
    >
      <ChevronLeftIcon aria-hidden="true" className="size-4" />
      {t("back")}
    </Link>
  );
}

async function verify(
  { name }: InstalledVoice,
  t: ReturnType<typeof useTranslations<"localVoices">>,
): Promise<void> {
  const check = await callApi(api.verifyVoice, { params: { name } });
  const factor = check.real_time_factor.toFixed(2);
  toast.success(t(check.is_unchanged ? "verified" : "verifiedUnrecorded", { name, factor }));
}

/** Running installations with their progress, and failed ones with the reason; renders nothing if there are none. */
function Installations({
  installations,
  onCancel,
}: {
  installations: readonly VoiceInstallation[];
  /** Cancels a running installation, or dismisses one that has ended. */
  onCancel(name: string): Promise<void>;
}) {
  const t = useTranslations("localVoices.installation");
  const serverText = useServerText();
  if (installations.length === 0) return null;
  /** Cancels or dismisses an installation. This removes its row, so the focus moves off the row first. */
  const leave = (name: string) => (event: MouseEvent) => {
    leaveRow(event.currentTarget.closest("li"), "button", document.getElementById("content"));
    void onCancel(name);
  };
  return (
    <ul aria-label={t("label")} className="grid gap-3">
      {installations.map((one) => (
        <li key={one.name}>
          {one.state === "running" ? (
            <Running installation={one} onCancel={leave(one.name)} />
          ) : (
            <Notice
              tone={one.state === "failed" ? "bad" : "warn"}
              title={t(one.state, { name: one.name })}
              isLive
            >
              <p className="break-words">
                {one.error === null ? t("interruptedText") : serverText(one.error)}
              </p>
              <Button variant="outline" size="sm" className="mt-2" onClick={leave(one.name)}>
                {t("dismiss")}
              </Button>
            </Notice>
          )}
        </li>
      ))}
    </ul>
  );
}

function Running({
  installation: { name, stage, done_bytes: done, total_bytes: total },
  onCancel,
}: {
  installation: VoiceInstallation;
  onCancel: MouseEventHandler;
}) {
  const t = useTranslations("localVoices.installation");
  const { bytes } = useAmounts();
  const size = total === null ? bytes(done) : t("of", { done: bytes(done), total: bytes(total) });
  return (
    <div className="grid gap-2 rounded-md border bg-panel p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <code className="min-w-0 break-all">{name}</code>
        <span className="tabular text-sm text-ink-muted">
          {t(stage)}
          {stage === "verify" ? null : ` · ${size}`}
        </span>
        <Button
          variant="ghost"
          size="sm"
          className="ml-auto"
          aria-label={t("cancelNamed", { name })}
          onClick={onCancel}
        >
          {t("cancel")}
        </Button>
      </div>
      <Progress
        label={t("progress", { name })}
        {...(stage === "download" && total !== null ? { value: done, max: total } : {})}
      />
    </div>
  );
}
