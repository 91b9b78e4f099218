"use client";

import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApi } from "@/lib/client/use-api";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { CopyButton } from "../ui/copy-button";
import { Notice } from "../ui/notice";
import { Sheet, SheetContent } from "../ui/sheet";
import { Skeleton } from "../ui/skeleton";
import { SkippedChannels } from "./attempt-cause";
import { CallState } from "./call-cells";
import { CallFacts } from "./call-facts";
import { CallHelp } from "./call-help";
import { SimilarCalls } from "./similar-calls";
import { Timeline } from "./timeline";

/** A drawer with the details of one call: timeline, error help, facts and input text. */
export function CallDrawer({
  id,
  isAdmin,
  onClose,
}: {
  id: string | null;
  isAdmin: boolean;
  onClose(): void;
}) {
  const t = useTranslations("requests.detail");
  return (
    <Sheet open={id !== null} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <SheetContent title={t("title")} className="max-w-xl p-6">
        {id === null ? null : <Call id={id} isAdmin={isAdmin} />}
      </SheetContent>
    </Sheet>
  );
}

function Call({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const t = useTranslations("requests.detail");
  const tAttempt = useTranslations("requests.attempt");
  const { data: call, error, mutate } = useApi(api.getCall, { params: { id } });
  if (isApiError(error, "not_found")) return <p className="pr-10 text-ink-muted">{t("notFound")}</p>;
  if (error && !call) return <CallError error={error} onRetry={() => void mutate()} className="mt-8" />;
  if (!call) return <CallSkeleton />;
  return (
    <div className="grid gap-6">
      <CallHeader call={call} />
      {call.error === null ? null : <CallHelp call={call} />}
      <section className="grid gap-3">
        <h3 className="font-medium">{t("timeline")}</h3>
        {call.trace && call.trace.attempts.length > 0 ? (
          <Timeline trace={call.trace} />
        ) : (
          <p className="text-ink-muted">
            {call.state === "open"
              ? t("running")
              : call.cached
                ? t("fromCache")
                : call.trace && call.error !== null
                  ? tAttempt("none")
                  : t("noTrace")}
          </p>
        )}
      </section>
      {call.trace && call.trace.skipped.length > 0 ? (
        <section className="grid gap-3">
          <h3 className="font-medium">{tAttempt("skipped")}</h3>
          <SkippedChannels skipped={call.trace.skipped} />
        </section>
      ) : null}
      <CallFacts call={call} />
      <InputText call={call} isAdmin={isAdmin} />
      <SimilarCalls call={call} />
    </div>
  );
}

function CallHeader({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  return (
    <header className="grid gap-1 pr-10">
      <CallState call={call} className="text-sm" />
      <h2 className="text-lg break-words">
        <code>{call.model}</code>
      </h2>
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-muted">
        <time dateTime={call.at} className="tabular">
          {amounts.exact(call.at)}
        </time>
        <span className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 break-all">{call.request_id}</code>
          <CopyButton
            value={call.request_id}
            name={t("copyRequestId", { id: call.request_id })}
            className="size-7 shrink-0"
          />
        </span>
      </p>
    </header>
  );
}

function InputText({ call, isAdmin }: { call: UsageDetail; isAdmin: boolean }) {
  const t = useTranslations("requests.detail");
  if (call.prompt === null) return isAdmin ? <Notice tone="info">{t("promptNotStored")}</Notice> : null;
  return (
    <section className="grid gap-2">
      <span className="flex items-center justify-between gap-4">
        <h3 className="font-medium">{t("prompt")}</h3>
        <CopyButton value={call.prompt} name={t("copyPrompt")} />
      </span>
      <pre className="max-h-80 overflow-y-auto rounded-md border bg-sunken p-3 text-sm break-words whitespace-pre-wrap">
        {call.prompt}
      </pre>
      <p className="text-sm text-ink-faint">{t("promptCut")}</p>
    </section>
  );
}

function CallSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-6 pr-10">
      <div className="grid gap-2">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-4 w-72" />
      </div>
      {[0, 1, 2].map((line) => (
        <Skeleton key={line} className="h-8 w-full" />
      ))}
      <Skeleton className="h-48 w-full" />
    </div>
  );
}
