"use client";

import Link from "next/link";
import { useTranslations } from "use-intl";
import { rejectionsHref } from "@/lib/client/calls";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import type { LastRejection } from "@/lib/contracts/console/rejections";
import type { Viewer } from "@/lib/contracts/console/user";
import { HOUR_MS } from "@/lib/contracts/durations";
import { Badge } from "../ui/badge";
import { Facts } from "../ui/facts";
import { RelativeTime, useRelativeTime } from "../ui/relative-time";

/** A key that expires within this time gets a badge. */
const EXPIRES_SOON_MS = 48 * HOUR_MS;

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

/** When a key was created and when it expires, unless a badge already says that it expires soon or has expired. */
export function KeyDates({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  const isLater = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) - Date.now() >= EXPIRES_SOON_MS;
  return (
    <Facts className="text-sm text-ink-faint">
      <RelativeTime at={apiKey.created_at} phrase={(when) => t("created", { when })} />
      {isLater && apiKey.expires_at !== null ? (
        <RelativeTime at={apiKey.expires_at} phrase={(when) => t("expires", { when })} />
      ) : null}
    </Facts>
  );
}

/** When a key was last used, and its latest rejected request with a link to all of them. */
export function KeyLastUsed({ apiKey, viewer }: { apiKey: ApiKey; viewer: Viewer }) {
  const t = useTranslations("apiKeys");
  return (
    <span className="grid gap-0.5">
      {apiKey.last_used_at ? (
        <span className="whitespace-nowrap">
          <RelativeTime at={apiKey.last_used_at} />
        </span>
      ) : (
        <span className="whitespace-nowrap text-ink-faint">{t("neverUsed")}</span>
      )}
      <LastRejected apiKey={apiKey} viewer={viewer} />
    </span>
  );
}

/** Renders nothing for a key without a rejected request. */
function LastRejected({ apiKey, viewer }: { apiKey: ApiKey; viewer: Viewer }) {
  const t = useTranslations("apiKeys.rejected");
  const rejection = apiKey.last_rejected;
  if (rejection === null) return null;
  const reason = t(rejectionReason(rejection), { code: rejection.error });
  return (
    <Link
      prefetch={false}
      href={rejectionsHref(viewer.role !== "member", { since: rejection.at }, { key_id: apiKey.id })}
      className="w-fit rounded-sm text-sm text-warn underline decoration-line-strong underline-offset-4 hover:decoration-ink"
    >
      <RelativeTime at={rejection.at} phrase={(when) => t("last", { reason, when })} />
    </Link>
  );
}

const REASONS = {
  insufficient_quota: "budget",
  forbidden: "operation",
  model_not_allowed: "model",
  model_not_found: "unknownModel",
  ip_not_allowed: "address",
  unauthenticated: "key",
  invalid: "input",
  too_large: "size",
  unsupported_media_type: "contentType",
  request_timeout: "slow",
  overloaded: "overloaded",
} as const;

/** The message name of why a key's latest rejected request was refused. */
export function rejectionReason({ error, limit }: LastRejection) {
  if (limit === "key_concurrency" || limit === "user_concurrency") return "concurrency";
  if (limit === "key_bodies" || limit === "user_bodies") return "uploads";
  if (limit === "key_repeats" || limit === "user_repeats") return "repeats";
  if (error === "rate_limited") return "limit";
  return Object.hasOwn(REASONS, error) ? REASONS[error as keyof typeof REASONS] : "other";
}
