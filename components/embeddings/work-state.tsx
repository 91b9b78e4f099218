"use client";

import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { Progress } from "../ui/progress";
import { Spinner } from "../ui/spinner";
import type { Work } from "./use-comparison";

/** What is shown belongs to other texts or settings. */
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

/** What is under way, and how far it is. */
export function WorkState({ work }: { work: Work }) {
  const t = useTranslations("embeddings.status");
  if (work.kind !== "calling" && work.kind !== "comparing") return null;
  const words =
    work.kind === "calling" ? t("calling") : t("comparing", { done: work.done, count: work.count });
  return (
    <div className="grid w-full max-w-72 gap-3 rounded-md bg-ground p-5">
      <p role="status" className="flex items-center justify-center gap-2 text-base text-ink-muted">
        <Spinner />
        {words}
      </p>
      {work.kind === "comparing" ? (
        <Progress label={words} value={work.done} max={work.count} tone="signal" />
      ) : null}
    </div>
  );
}
