"use client";

import { useCallback } from "react";
import { useLocale, useTranslations } from "use-intl";
import { type ApiError, isApiError, isUnreachable } from "@/lib/client/api-error";
import { leaveForSignIn } from "@/lib/client/swr-config";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/error-state";
import { Notice } from "../ui/notice";
import { ruleText } from "./rule-text";

/** The message and request ID of a failed API call; the server's message if it sent one. */
export function useErrorText(): (error: unknown) => { message: string; requestId: string | null } {
  const t = useTranslations("common.error");
  const serverMessage = useServerMessage();
  return useCallback(
    (error) => {
      if (!isApiError(error)) return { message: t("unexpected"), requestId: null };
      if (!error.message && isUnreachable(error)) return { message: t("network"), requestId: null };
      if (error.code === "unauthenticated") return { message: t("signedOut"), requestId: error.requestId };
      return { message: serverMessage(error) || t("unexpected"), requestId: error.requestId };
    },
    [t, serverMessage],
  );
}

/**
 * The server's message. In a language other than English: the message of its first issue, translated as in forms, with
 * the name of the field.
 */
function useServerMessage(): (error: ApiError) => string {
  const t = useTranslations("common");
  const fieldError = useTranslations("common.fieldError");
  const isEnglish = useLocale() === "en";
  return useCallback(
    ({ message, issues: [issue, ...more] }) => {
      if (isEnglish || issue === undefined) return message;
      const rule = ruleText(fieldError, issue.message);
      const isOfField = issue.path !== "" && issue.message !== message;
      const text = isOfField ? t("labelled", { label: issue.path, value: rule }) : rule;
      return more.length === 0 ? text : t("error.more", { text, count: more.length });
    },
    [t, fieldError, isEnglish],
  );
}

/**
 * The error of a failed API call, with its request ID; after the end of the session, with a button to sign in. Renders
 * nothing without an error.
 */
export function CallError({
  error,
  title,
  onRetry,
  className,
}: {
  error: unknown;
  title?: string;
  onRetry?(): void;
  className?: string;
}) {
  const t = useTranslations("common.error");
  const errorText = useErrorText();
  if (!error) return null;
  const { message, requestId } = errorText(error);
  return (
    <ErrorState
      title={title}
      message={message}
      requestId={requestId}
      onRetry={onRetry}
      action={
        isApiError(error, "unauthenticated") ? (
          <Button size="sm" onClick={leaveForSignIn}>
            {t("signIn")}
          </Button>
        ) : null
      }
      className={className}
    />
  );
}

/** The error of a failed call about a record, which may have been deleted since the page loaded it. */
export function RecordError({ error }: { error: unknown }) {
  const t = useTranslations("common.error");
  if (!isApiError(error, "not_found")) return <CallError error={error} />;
  return (
    <Notice tone="warn" title={t("gone")} isLive>
      {t("goneText")}
    </Notice>
  );
}

/** The errors of a form's last save: the failed call, or the text `stale` if the form now shows newer values. */
export function SaveErrors({ error, isStale, stale }: { error: unknown; isStale: boolean; stale: string }) {
  return (
    <>
      <RecordError error={error} />
      {isStale ? (
        <Notice tone="warn" isLive>
          {stale}
        </Notice>
      ) : null}
    </>
  );
}
