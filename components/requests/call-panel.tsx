"use client";

import { ChevronDownIcon, ChevronUpIcon, XIcon } from "lucide-react";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { type CallFilter, withFilter } from "@/lib/client/calls";
import { hasLetterShortcuts } from "@/lib/client/letter-shortcuts";
import { withRange } from "@/lib/client/range";
import { useApi } from "@/lib/client/use-api";
import { useRange } from "@/lib/client/use-range";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { DAY_MS } from "@/lib/contracts/durations";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { useOpenerFocus } from "../ui/dialog";
import { keepFocus } from "../ui/keep-focus";
import { Notice } from "../ui/notice";
import { ScrollBox } from "../ui/scroll-box";
import { Skeleton } from "../ui/skeleton";
import { SkippedChannels } from "./attempt-cause";
import { CallState, CopyRequestId, ERROR_CODES, useCallName } from "./call-cells";
import { CallFacts } from "./call-facts";
import { Replay } from "./replay";
import { Timeline } from "./timeline";

/** The calls before and after the open one in the list. */
interface Neighbours {
  /** ID of the newer and of the older call; null: none, or not loaded. */
  previous: string | null;
  next: string | null;
  onOpen(id: string): void;
}

/** The details of one call beside the list, which stays usable: timeline, error help, facts and input text. */
export function CallPanel({
  id,
  isAdmin,
  onClose,
  ...neighbours
}: Neighbours & { id: string; isAdmin: boolean; onClose(): void }) {
  const t = useTranslations("requests.detail");
  const common = useTranslations("common");
  const letters = { letters: String(hasLetterShortcuts()) };
  // On close, focuses the row of the call that is open now: on wide screens, opening the panel hides the row that was
  // clicked.
  const focus = useOpenerFocus({
    onCloseAutoFocus(event) {
      const links = document.querySelectorAll<HTMLElement>(`[data-call="${CSS.escape(id)}"]`);
      const shown = [...links].find((link) => link.getClientRects().length > 0);
      if (shown === undefined) return;
      event.preventDefault();
      shown.focus();
      keepFocus(shown);
    },
  });
  return (
    <Primitive.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Primitive.Content
        aria-describedby={undefined}
        onInteractOutside={(event) => event.preventDefault()}
        className="fixed inset-y-0 right-0 z-40 w-full max-w-xl overflow-y-auto overscroll-contain border-l bg-raised shadow-float outline-none xl:sticky xl:top-4 xl:z-0 xl:max-h-[calc(100dvh-2rem)] xl:rounded-md xl:border xl:bg-panel xl:shadow-none"
        {...focus}
      >
        <div className="sticky top-0 z-10 flex items-center gap-1 border-b bg-inherit px-4 py-2">
          <Primitive.Title className="mr-auto pl-2 text-sm font-medium">{t("title")}</Primitive.Title>
          <StepButton
            name={t("previous")}
            hint={t("previousHint", letters)}
            to={neighbours.previous}
            {...neighbours}
          >
            <ChevronUpIcon />
          </StepButton>
          <StepButton name={t("next")} hint={t("nextHint", letters)} to={neighbours.next} {...neighbours}>
            <ChevronDownIcon />
          </StepButton>
          <Primitive.Close asChild>
            <Button variant="ghost" size="icon-sm" aria-label={common("close")}>
              <XIcon />
            </Button>
          </Primitive.Close>
        </div>
        <div className="p-6 pt-5">
          <Call id={id} isAdmin={isAdmin} />
        </div>
        <OpenCall id={id} />
      </Primitive.Content>
    </Primitive.Root>
  );
}

function StepButton({
  name,
  hint,
  to,
  onOpen,
  children,
}: {
  name: string;
  hint: string;
  to: string | null;
  onOpen(id: string): void;
  children: ReactNode;
}) {
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      aria-label={name}
      title={hint}
      // Stays focusable at the end of the list, so that the focus is not lost.
      aria-disabled={to === null}
      className="aria-disabled:opacity-40"
      onClick={() => to !== null && onOpen(to)}
    >
      {children}
    </Button>
  );
}

/** Tells screen readers which call is open, also after a step. */
function OpenCall({ id }: { id: string }) {
  const name = useCallName();
  const { data: call } = useApi(api.getCall, { params: { id } });
  return (
    <p role="status" className="sr-only">
      {call ? name(call) : null}
    </p>
  );
}

function Call({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const t = useTranslations("requests.detail");
  const tAttempt = useTranslations("requests.attempt");
  const { data: call, error, mutate } = useApi(api.getCall, { params: { id } });
  if (isApiError(error, "not_found")) return <p className="text-ink-muted">{t("notFound")}</p>;
  if (error && !call) return <CallError error={error} onRetry={() => void mutate()} className="mt-8" />;
  if (!call) return <CallSkeleton />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 wrap-anywhere">
      <CallHeader call={call} />
      <Replay call={call} />
      {call.error === null ? null : <CallHelp call={call} />}
      <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
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
  const amounts = useAmounts();
  return (
    <header className="grid gap-1">
      <CallState call={call} className="text-sm" />
      <h2 className="text-lg wrap-anywhere">
        <code>{call.model}</code>
      </h2>
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-muted">
        <time dateTime={call.at} className="tabular">
          {amounts.exact(call.at)}
        </time>
        <span className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 break-all">{call.request_id}</code>
          <CopyRequestId id={call.request_id} />
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
      <ScrollBox label={t("prompt")} className="max-h-80 p-3 font-mono text-sm">
        {call.prompt}
      </ScrollBox>
      <p className="text-sm text-ink-faint">{t("promptCut")}</p>
    </section>
  );
}

function CallSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-6">
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

function helpFor(
  call: UsageDetail,
): (typeof ERROR_CODES)[number] | "credentials" | "account" | "serverEnded" | "other" {
  const refusal = call.trace?.attempts.at(-1)?.upstream_refusal ?? null;
  if (call.error === "upstream_error" && refusal !== null) return refusal;
  // Another instance settled the call after the call's own instance had ended.
  if (call.error === "internal" && call.status === 0) return "serverEnded";
  return ERROR_CODES.find((code) => code === call.error) ?? "other";
}

/** What the error code of a failed call means, and what to do about it. */
function CallHelp({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests");
  const tone = call.error === "caller_left" ? "warn" : "bad";
  return (
    <Notice tone={tone} title={call.error ?? ""}>
      {t(`help.${helpFor(call)}`)}
    </Notice>
  );
}

/**
 * Links that filter for calls with the same error, model, key or request ID: in the page's range or, if the call is not
 * in that range, in the day around the call.
 */
function SimilarCalls({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests.detail");
  const path = usePathname();
  const searchParams = new URLSearchParams(useSearchParams());
  const range = useRange();
  const at = Date.parse(call.at);
  const isInRange = range.from <= at && at < range.to;
  const day = { from: at - DAY_MS / 2, to: at + DAY_MS / 2 };
  const query = isInRange ? searchParams : withRange(searchParams, day);
  const links: [string, CallFilter, string | null][] = [
    [t("sameError"), "status", call.error],
    [t("sameModel"), "model", call.model],
    [t("sameKey"), "key_id", call.key_id],
    [t("sameRequest"), "request_id", call.request_id],
  ];
  return (
    <section className="grid gap-2">
      <h3 className="font-medium">{t("similar")}</h3>
      <span className="flex flex-wrap gap-2">
        {links.map(([label, name, value]) =>
          value === null ? null : (
            <Button key={name} asChild variant="outline" size="sm">
              <Link href={`${path}${withFilter(query, name, value)}`} prefetch={false}>
                {label}
              </Link>
            </Button>
          ),
        )}
      </span>
    </section>
  );
}
