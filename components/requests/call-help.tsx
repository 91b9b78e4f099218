import { useTranslations } from "use-intl";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { Notice } from "../ui/notice";

const KNOWN = [
  "upstream_error",
  "upstream_timeout",
  "upstream_truncated",
  "upstream_invalid",
  "upstream_redirect",
  "upstream_rate_limited",
  "no_channel_available",
  "overloaded",
  "invalid",
  "caller_left",
  "storage_unavailable",
  "internal",
] as const;

function helpFor(call: UsageDetail): (typeof KNOWN)[number] | "credentials" | "account" | "other" {
  const status = call.trace?.attempts.at(-1)?.upstream_status ?? null;
  if (call.error === "upstream_error" && (status === 401 || status === 403)) return "credentials";
  if (call.error === "upstream_error" && status === 402) return "account";
  return KNOWN.find((code) => code === call.error) ?? "other";
}

/** What the error code of a failed call means, and what to do about it. */
export function CallHelp({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests");
  const tone = call.error === "caller_left" ? "warn" : "bad";
  return (
    <Notice tone={tone} title={call.error ?? ""}>
      {t(`help.${helpFor(call)}`)}
    </Notice>
  );
}
