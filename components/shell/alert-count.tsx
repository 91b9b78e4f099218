"use client";

import { useTranslations } from "use-intl";
import { useAlertsSummary } from "@/lib/client/alerts";
import { Badge } from "../ui/badge";

/** How many alerts nobody has seen yet, beside the page's name. */
export function AlertCount() {
  const t = useTranslations("common.nav");
  const { data } = useAlertsSummary();
  if (!data || data.unseen === 0) return null;
  return (
    <Badge tone="bad" className="tabular-nums">
      <span className="sr-only">{t("unseen")} </span>
      {data.unseen > 99 ? "99+" : data.unseen}
    </Badge>
  );
}
