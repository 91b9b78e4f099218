"use client";

import { useTranslations } from "use-intl";
import type { UpstreamFailure } from "@/lib/contracts/console/channels";

const KNOWN = [
  "address_refused",
  "name_unknown",
  "connection_refused",
  "connect_timeout",
  "tls_failed",
  "connection_lost",
  "protocol_error",
] as const;

/** Text of an upstream error: our summary and, where the cause is not known, the upstream's own message as `detail`. */
export function useUpstreamErrorText(): (error: UpstreamFailure) => { summary: string; detail: string } {
  const t = useTranslations("channels.upstreamError");
  return (error) => {
    const known = KNOWN.find((name) => name === error.fault);
    if (known) return { summary: t(known), detail: "" };
    if (error.upstream_status === 401 || error.upstream_status === 403)
      return { summary: t("key"), detail: "" };
    if (error.upstream_status === 402) return { summary: t("money"), detail: "" };
    if (error.code === "upstream_rate_limited") return { summary: t("limited"), detail: "" };
    if (error.code === "upstream_timeout") return { summary: t("slow"), detail: "" };
    return { summary: t("title"), detail: error.message };
  };
}
