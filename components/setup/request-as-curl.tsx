"use client";

import { useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { KEY_VARIABLE, shellQuote } from "@/lib/client/code-samples";
import { CopyButton } from "../ui/copy-button";

const noSubscription = () => () => undefined;
const browserOrigin = () => window.location.origin;
const serverOrigin = () => "";

/** The request as a curl command. The key is masked on screen; the copied command contains it. */
export function RequestAsCurl({
  path,
  body,
  secret,
}: {
  path: string;
  body: Readonly<Record<string, unknown>>;
  /** The API key; null to read it from the environment. */
  secret: string | null;
}) {
  const t = useTranslations("setup.sound");
  // Known only in the browser: behind a proxy the server does not know its public URL.
  const origin = useSyncExternalStore(noSubscription, browserOrigin, serverOrigin);
  const curl = (key: string) =>
    [
      `curl ${origin}${path} \\`,
      `  -H "Authorization: Bearer ${key}" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d ${shellQuote(fieldPerLine(body))}`,
    ].join("\n");
  const masked = secret ? `${secret.slice(0, 8)}…${secret.slice(-4)}` : `$${KEY_VARIABLE}`;
  return (
    <section className="grid gap-2" aria-label={t("request")}>
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm font-medium">{t("request")}</h2>
        <CopyButton value={() => curl(secret ?? `$${KEY_VARIABLE}`)} label={t("copyRequest")} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it only with the focus
        tabIndex={0}
        className="secret-text max-h-80 overflow-auto rounded-md border bg-sunken p-4 text-sm whitespace-pre"
      >
        {curl(masked)}
      </pre>
    </section>
  );
}

/** JSON with one top-level field per line. */
function fieldPerLine(body: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(body).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${fields.join(",\n")}\n  }`;
}
