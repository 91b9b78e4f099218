"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Wordmark } from "./mark";

/** A page without content: not found, or failed to load. */
function MessagePage({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-form content-center gap-6 p-6">
      <Wordmark />
      <div className="grid gap-2">
        <h1 className="text-2xl">{title}</h1>
        <p className="text-ink-muted">{text}</p>
      </div>
      <div className="flex flex-wrap gap-3">{children}</div>
    </main>
  );
}

/** Not a client navigation: the server may redirect to sign-in or setup. */
function ToOverview() {
  const t = useTranslations("common.error");
  return (
    <Button asChild size="lg">
      <a href="/">{t("toOverview")}</a>
    </Button>
  );
}

/** The 404 page. */
export function NotFoundPage() {
  const t = useTranslations("common.error");
  return (
    <MessagePage title={t("notFoundTitle")} text={t("notFoundText")}>
      <ToOverview />
    </MessagePage>
  );
}

/** The 404 page inside the shell, which already has the logo and the `main` element. */
export function NotFoundContent() {
  const t = useTranslations("common.error");
  return (
    <div className="mx-auto grid max-w-form gap-6 py-16">
      <div className="grid gap-2">
        <h1 className="text-2xl">{t("notFoundTitle")}</h1>
        <p className="text-ink-muted">{t("notFoundText")}</p>
      </div>
      <div className="flex flex-wrap gap-3">
        <ToOverview />
      </div>
    </div>
  );
}

/** The page of an unexpected error. `digest` identifies the cause in the server's log. */
export function ErrorPage({ digest, onRetry }: { digest?: string; onRetry(): void }) {
  const t = useTranslations("common");
  return (
    <MessagePage title={t("error.pageTitle")} text={t("error.pageText")}>
      <Button size="lg" onClick={onRetry}>
        {t("error.reload")}
      </Button>
      {digest ? (
        <p className="flex basis-full items-center gap-1 text-sm text-ink-muted">
          {t("error.requestId")} <code>{digest}</code>
          <CopyButton value={digest} name={t("error.copyRequestId")} />
        </p>
      ) : null}
    </MessagePage>
  );
}
