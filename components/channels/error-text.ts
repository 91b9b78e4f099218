"use client";

import { useTranslations } from "use-intl";
import type { UpstreamFault } from "@/lib/contracts/console/channels";

const KNOWN = [
  "address_refused",
  "name_unknown",
  "connection_refused",
  "connect_timeout",
  "tls_failed",
  "connection_lost",
  "protocol_error",
] as const;

/** Why an upstream gave nothing: our words where we know, then its own. */
export function useFaultWords(): (fault: UpstreamFault) => { why: string; said: string } {
  const t = useTranslations("channels.fault");
  return (fault) => {
    const known = KNOWN.find((one) => one === fault.fault);
    if (known) return { why: t(known), said: "" };
    const said = fault.message;
    if (fault.upstream_status === 401 || fault.upstream_status === 403) return { why: t("key"), said: "" };
    if (fault.upstream_status === 402) return { why: t("money"), said: "" };
    if (fault.code === "upstream_rate_limited") return { why: t("limited"), said: "" };
    if (fault.code === "upstream_timeout") return { why: t("slow"), said: "" };
    return { why: t("title"), said };
  };
}
