"use client";

import { useTranslations } from "use-intl";
import { Wordmark } from "../shell/mark";
import { Button } from "../ui/button";

/** For the one who lost the race for the instance. */
export function AlreadySetUp() {
  const t = useTranslations("setup.alreadySetUp");
  return (
    <main className="mx-auto grid min-h-dvh max-w-form content-center gap-6 p-6">
      <Wordmark />
      <div role="alert" className="grid gap-2">
        <h1 className="text-2xl">{t("title")}</h1>
        <p className="text-ink-muted">{t("text")}</p>
      </div>
      {/* A whole load: the server decides anew what this visitor may see. */}
      <Button asChild size="lg" className="w-fit">
        <a href="/login?reason=taken">{t("signIn")}</a>
      </Button>
    </main>
  );
}
