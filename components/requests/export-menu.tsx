"use client";

import { DownloadIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { api, urlOf } from "@/lib/client/api";
import { type CallFilters, REJECTED, rejectionsQuery } from "@/lib/client/calls";
import { type Range, rangeQuery } from "@/lib/client/range";
import { ChoicesButton } from "../ui/choices-button";

const FORMATS = ["csv", "jsonl"] as const;

/** Downloads the calls or rejected requests of the range and filters. */
export function ExportMenu({ filters, range }: { filters: CallFilters; range: Range }) {
  const t = useTranslations("requests.export");
  const rejected = filters.status === REJECTED ? rejectionsQuery(filters, range) : null;
  if (filters.status === REJECTED && rejected === null) return null;
  const urlIn = (format: (typeof FORMATS)[number]) =>
    rejected === null
      ? urlOf(api.exportCalls, { query: { ...rangeQuery(range), ...filters, format } })
      : urlOf(api.exportRejections, { query: { ...rejected, format } });
  return (
    <ChoicesButton
      button={{
        variant: "outline",
        children: (
          <>
            <DownloadIcon aria-hidden="true" />
            {t("open")}
          </>
        ),
      }}
      choices={FORMATS.map((format) => ({ id: format, label: t(format), download: urlIn(format) }))}
    />
  );
}
