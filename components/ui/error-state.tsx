"use client";

import { CircleAlertIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./button";
import { cn } from "./class-names";
import { CopyButton } from "./copy-button";
import { keepingFocus } from "./keep-focus";

/** What happened, why, what to do, and the request ID for finding it in the log. */
export function ErrorState({
  title,
  message,
  requestId,
  onRetry,
  action,
  className,
}: {
  title?: string;
  message: ReactNode;
  requestId?: string | null;
  onRetry?(): void;
  action?: ReactNode;
  className?: string;
}) {
  const t = useTranslations("common");
  return (
    <div
      data-slot="error-state"
      role="alert"
      className={cn(
        "flex gap-3 rounded-md border border-bad/40 bg-bad-soft p-4 text-base text-ink",
        className,
      )}
    >
      <CircleAlertIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="grid min-w-0 flex-1 gap-2">
        <div className="grid gap-0.5">
          <p className="font-medium">{title ?? t("error.title")}</p>
          <div className="break-words text-ink-muted">{message}</div>
        </div>
        {requestId ? (
          <p className="flex flex-wrap items-center gap-1 text-sm text-ink-muted">
            {t("error.requestId")} <code className="break-all">{requestId}</code>
            <CopyButton value={requestId} name={t("error.copyRequestId")} />
          </p>
        ) : null}
        {onRetry || action ? (
          <div className="flex flex-wrap gap-2">
            {onRetry ? (
              <Button variant="outline" size="sm" onClick={keepingFocus(onRetry)}>
                {t("retry")}
              </Button>
            ) : null}
            {action}
          </div>
        ) : null}
      </div>
    </div>
  );
}
