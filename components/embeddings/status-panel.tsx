"use client";

import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { Progress, Spinner } from "../ui/progress";
import type { ComparisonStatus } from "./use-comparison";

/** Shown over results that belong to other texts or settings. */
export function StaleNotice({ onEmbed }: { onEmbed(): void }) {
  const t = useTranslations("embeddings.status");
  return (
    <div
      role="status"
      className="grid justify-items-center gap-3 rounded-md border bg-raised p-5 shadow-float"
    >
      <p className="text-base">{t("stale")}</p>
      <Button variant="outline" size="sm" onClick={onEmbed}>
        {t("staleAction")}
      </Button>
    </div>
  );
}

/** The running step and its progress. */
export function StatusPanel({ status }: { status: ComparisonStatus }) {
  const t = useTranslations("embeddings.status");
  if (status.kind !== "calling" && status.kind !== "comparing") return null;
  const text =
    status.kind === "calling" ? t("calling") : t("comparing", { done: status.done, count: status.count });
  return (
    <div className="grid w-full max-w-72 gap-3 rounded-md bg-ground p-5">
      <p role="status" className="flex items-center justify-center gap-2 text-base text-ink-muted">
        <Spinner />
        {text}
      </p>
      {status.kind === "comparing" ? (
        <Progress label={text} value={status.done} max={status.count} tone="signal" />
      ) : null}
    </div>
  );
}
