"use client";

import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { Badge } from "../ui/badge";
import { RelativeTime, useRelativeTime } from "../ui/relative-time";

const SOON_MS = 48 * 3_600_000;

/** What is out of the ordinary with a key; nothing for one that simply works. */
export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys.status");
  const keys = useTranslations("apiKeys");
  const tell = useRelativeTime();
  const left = apiKey.expires_at === null ? Infinity : Date.parse(apiKey.expires_at) - Date.now();
  return (
    <>
      {left <= 0 ? (
        <Badge tone="bad">{t("expired")}</Badge>
      ) : !apiKey.enabled ? (
        <Badge tone="neutral">{t("disabled")}</Badge>
      ) : left < SOON_MS && apiKey.expires_at !== null ? (
        <Badge tone="warn">{t("ending", { when: tell(apiKey.expires_at) })}</Badge>
      ) : null}
      {apiKey.operations.includes("manage") ? <Badge tone="info">{keys("managing")}</Badge> : null}
    </>
  );
}

/** When a key was made and when it ends. */
export function KeyDates({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  const isLater = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) - Date.now() >= SOON_MS;
  return (
    <span className="flex flex-wrap gap-x-1.5 text-sm text-ink-faint">
      <RelativeTime at={apiKey.created_at} say={(when) => t("created", { when })} />
      {isLater && apiKey.expires_at !== null ? (
        <>
          <span aria-hidden="true">·</span>
          <RelativeTime at={apiKey.expires_at} say={(when) => t("expires", { when })} />
        </>
      ) : null}
    </span>
  );
}

export function KeyLastUsed({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  return apiKey.last_used_at ? (
    <RelativeTime at={apiKey.last_used_at} />
  ) : (
    <span className="text-ink-faint">{t("neverUsed")}</span>
  );
}
