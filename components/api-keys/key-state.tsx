"use client";

import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { Badge } from "../ui/badge";
import { RelativeTime, useRelativeTime } from "../ui/relative-time";

/** A key that expires within 48 hours gets a badge. */
const EXPIRES_SOON_MS = 48 * 3_600_000;

/** Badges for an expired, disabled, soon expiring or management key. */
export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  const relativeTime = useRelativeTime();
  const leftMs = apiKey.expires_at === null ? Infinity : Date.parse(apiKey.expires_at) - Date.now();
  return (
    <>
      {leftMs <= 0 ? (
        <Badge tone="bad">{t("status.expired")}</Badge>
      ) : !apiKey.enabled ? (
        <Badge tone="neutral">{t("status.disabled")}</Badge>
      ) : leftMs < EXPIRES_SOON_MS && apiKey.expires_at !== null ? (
        <Badge tone="warn">{t("status.expiring", { when: relativeTime(apiKey.expires_at) })}</Badge>
      ) : null}
      {apiKey.operations.includes("manage") ? <Badge tone="info">{t("managing")}</Badge> : null}
    </>
  );
}

/** When a key was created and when it expires. */
export function KeyDates({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  const isLater = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) - Date.now() >= EXPIRES_SOON_MS;
  return (
    <span className="flex flex-wrap gap-x-1.5 text-sm text-ink-faint">
      <RelativeTime at={apiKey.created_at} phrase={(when) => t("created", { when })} />
      {isLater && apiKey.expires_at !== null ? (
        <>
          <span aria-hidden="true">·</span>
          <RelativeTime at={apiKey.expires_at} phrase={(when) => t("expires", { when })} />
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
