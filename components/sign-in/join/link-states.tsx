"use client";

import { useTranslations } from "use-intl";
import { Button } from "../../ui/button";
import { Notice } from "../../ui/notice";
import { Skeleton } from "../../ui/skeleton";
import { JoinError } from "./join-error";

/** While a link is looked at. */
export function OpeningLink() {
  const t = useTranslations("join");
  return (
    <div aria-busy="true" className="grid gap-5">
      <p role="status" className="sr-only">
        {t("opening")}
      </p>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="mt-2 h-9 w-full" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-11 w-full" />
    </div>
  );
}

/** A link that opens nothing, and where to go from there. */
export function DeadLink() {
  const t = useTranslations("join.dead");
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

/** A link that could not be looked at now. */
export function FailedLink({ error, onRetry }: { error: unknown; onRetry(): void }) {
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

/** Says whose session this browser holds: what follows takes its place. */
export function SignedInNotice({ name }: { name: string | null }) {
  const t = useTranslations("join");
  return name === null ? null : <Notice tone="info">{t("signedInAs", { name })}</Notice>;
}
