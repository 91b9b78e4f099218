"use client";

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { InviteFacts } from "@/lib/contracts/console/invites";
import { CallError } from "../../forms/call-error";
import { RetryCountdown } from "../../forms/proof-error";
import { Button } from "../../ui/button";
import { Notice } from "../../ui/notice";
import { Skeleton } from "../../ui/skeleton";

interface ValidLink<Kind extends InviteFacts["kind"]> {
  state: "valid";
  token: string;
  facts: Extract<InviteFacts, { kind: Kind }>;
}

/** A one-time link: being checked, valid, invalid (used, revoked, expired, wrong kind), or the check failed. */
type LinkState<Kind extends InviteFacts["kind"]> =
  | { state: "loading" }
  | ValidLink<Kind>
  | { state: "invalid" }
  | { state: "failed"; error: unknown };

async function checkLink<Kind extends InviteFacts["kind"]>(
  kind: Kind,
  token: string,
): Promise<LinkState<Kind>> {
  try {
    const facts = await callApi(api.inspectInvite, { body: { token } });
    // The kinds are compared here, but TypeScript does not narrow by a type parameter.
    return facts.kind === kind ? { state: "valid", token, facts: facts as never } : { state: "invalid" };
  } catch (error) {
    return isApiError(error, "not_found") ? { state: "invalid" } : { state: "failed", error };
  }
}

/** Reads the token in the URL's fragment and loads what the link is for. The token stays in the URL for reloads. */
function useOneTimeLink<Kind extends InviteFacts["kind"]>(kind: Kind) {
  const [link, setLink] = useState<LinkState<Kind>>({ state: "loading" });
  const latest = useRef<string | null>(null);
  const open = useCallback(async () => {
    const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
    latest.current = token;
    if (!token) return setLink({ state: "invalid" });
    setLink({ state: "loading" });
    const checked = await checkLink(kind, token);
    // The reply of an earlier link may arrive after that of the link pasted since.
    if (latest.current === token) setLink(checked);
  }, [kind]);
  useEffect(() => {
    void open();
    // A link pasted into the same tab changes only the fragment.
    const onHashChange = () => void open();
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, [open]);
  return { link, open, markInvalid: () => setLink({ state: "invalid" }) };
}

/** A page behind a one-time link: `children` once the link was found valid, else what is wrong with it. */
export function OneTimeLink<Kind extends InviteFacts["kind"]>({
  kind,
  children,
}: {
  kind: Kind;
  /** `markInvalid`: to be called when the server no longer accepts the link. */
  children(link: ValidLink<Kind>, markInvalid: () => void): ReactNode;
}) {
  const { link, open, markInvalid } = useOneTimeLink(kind);
  switch (link.state) {
    case "loading":
      return <LoadingLink />;
    case "invalid":
      return <InvalidLink />;
    case "failed":
      return <FailedLink error={link.error} onRetry={() => void open()} />;
    case "valid":
      return children(link, markInvalid);
    default:
      return link satisfies never;
  }
}

/** The error above a form; after too many attempts, a countdown. */
export function JoinError({ error }: { error: unknown }) {
  if (isApiError(error, "rate_limited") && error.retryAfter)
    return <RetryCountdown key={error.requestId} seconds={error.retryAfter} />;
  return <CallError error={error} />;
}

/** Placeholder while a link is checked. */
function LoadingLink() {
  const t = useTranslations("join");
  return (
    <div aria-busy="true" className="grid gap-5">
      <p role="status" className="sr-only">
        {t("loading")}
      </p>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="mt-2 h-9 w-full" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-11 w-full" />
    </div>
  );
}

/** Shown for a link that was used, was revoked or has expired. */
function InvalidLink() {
  const t = useTranslations("join.invalidLink");
  return (
    <div className="grid gap-5">
      <div className="grid gap-1">
        <h1 className="text-2xl">{t("title")}</h1>
        <p className="text-ink-muted">{t("text")}</p>
      </div>
      <Button asChild variant="outline" size="lg">
        <a href="/login">{t("signIn")}</a>
      </Button>
    </div>
  );
}

/** Shown when a link could not be checked. */
function FailedLink({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useTranslations("join");
  const common = useTranslations("common");
  return (
    <div className="grid gap-5">
      <h1 className="text-2xl">{t("title")}</h1>
      <JoinError error={error} />
      <Button variant="outline" onClick={onRetry}>
        {common("retry")}
      </Button>
    </div>
  );
}

/** Warns that this browser has a session, which the new one will replace. */
export function SignedInNotice({ name }: { name: string | null }) {
  const t = useTranslations("join");
  return name === null ? null : <Notice tone="info">{t("signedInAs", { name })}</Notice>;
}
