"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { KEY_VARIABLE } from "@/lib/client/key-variable";

/** Heading and hint of the code section, with the code or its placeholder as children. */
export function CodeFrame({ children }: { children: ReactNode }) {
  const t = useTranslations("playground.code");
  return (
    <section aria-labelledby="code-title" className="grid min-w-0 gap-3">
      <div className="grid gap-0.5">
        <h2 id="code-title" className="text-lg">
          {t("title")}
        </h2>
        <p className="text-sm text-ink-muted">
          {t.rich("hint", {
            variable: (name) => <code className="text-ink">{name}</code>,
            name: KEY_VARIABLE,
          })}
        </p>
      </div>
      {children}
    </section>
  );
}

/** Reserves the space of tabs and code while they load. */
export function CodePlaceholder() {
  return (
    <CodeFrame>
      <div className="grid gap-3" aria-hidden="true">
        <div className="h-9 border-b" />
        <div className="h-52 rounded-md border bg-sunken" />
      </div>
    </CodeFrame>
  );
}
