"use client";

import { useTranslations } from "use-intl";
import { Wordmark } from "../shell/mark";
import { Button } from "../ui/button";

/** Shown when the instance was set up from another browser meanwhile. */
export function AlreadySetUp() {
  const t = useTranslations("setup.alreadySetUp");
  return (
    <main className="mx-auto grid min-h-dvh max-w-form content-center gap-6 p-6">
      <Wordmark />
      <div role="alert" className="grid gap-2">
        <h1 className="text-2xl">{t("title")}</h1>
        <p className="text-ink-muted">{t("text")}</p>
      </div>
      {/* Not a client navigation: the server must evaluate the setup state again. */}
      <Button asChild size="lg" className="w-fit">
        <a href="/login?reason=taken">{t("signIn")}</a>
      </Button>
    </main>
  );
}
