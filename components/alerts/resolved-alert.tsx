"use client";

import { useTranslations } from "use-intl";
import type { Alert } from "@/lib/contracts/console/alerts";
import { StatusDot } from "../ui/badge";
import { Facts } from "../ui/facts";
import { RelativeTime } from "../ui/relative-time";
import { useAlertText } from "./alert-text";

/** What the alert was about, how long it was open, and where it was sent. */
export function ResolvedAlert({ alert }: { alert: Alert }) {
  const t = useTranslations("alerts");
  const alertText = useAlertText();
  const delivery = alertText.deliveryOf(alert);
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-4 py-3">
      <StatusDot tone="off" className="mt-2" />
      <span className="wrap-anywhere">{alertText.titleOf(alert)}</span>
      <Facts className="col-start-2 text-sm text-ink-faint">
        <RelativeTime
          at={alert.opened_at}
          phrase={(when) => t("took", { when, duration: alertText.durationOf(alert) })}
        />
        {delivery ? <span suppressHydrationWarning>{delivery}</span> : null}
      </Facts>
    </li>
  );
}
