"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Wordmark } from "./mark";

/** A page that only says something: nothing is here, or it broke. */
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

/** A whole load: the server decides where this visitor belongs. */
function ToOverview() {
  const t = useTranslations("common.error");
  return (
    <Button asChild size="lg">
      <a href="/">{t("toOverview")}</a>
    </Button>
  );
}

/** For an address without a page. */
export function NotFoundPage() {
  const t = useTranslations("common.error");
  return (
    <MessagePage title={t("notFoundTitle")} text={t("notFoundText")}>
      <ToOverview />
    </MessagePage>
  );
}

/** The same within the console's frame, for a page the visitor may not know of: the frame has the mark and the `main`. */
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

/** For a page that broke; `digest` is what the server's log calls the cause. */
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
