"use client";

import { DownloadIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { api, urlOf } from "@/lib/client/api";
import { type CallFilters, REJECTED, rejectionsQuery } from "@/lib/client/calls";
import { type Range, rangeQuery } from "@/lib/client/range";
import { Button } from "../ui/button";
import { useOnDemand } from "../ui/use-on-demand";
import type { ExportFormat } from "./export-choices";

const loadChoices = () => import("./export-choices").then((one) => one.ExportChoices);

/** Downloads the calls or rejected requests of the range and filters. */
export function ExportMenu({ filters, range }: { filters: CallFilters; range: Range }) {
  const t = useTranslations("requests.export");
  const { Loaded, loadNow, preload } = useOnDemand(loadChoices);
  const rejected = filters.status === REJECTED ? rejectionsQuery(filters, range) : null;
  if (filters.status === REJECTED && rejected === null) return null;
  const urlIn = (format: ExportFormat) =>
    rejected === null
      ? urlOf(api.exportCalls, { query: { ...rangeQuery(range), ...filters, format } })
      : urlOf(api.exportRejections, { query: { ...rejected, format } });
  if (Loaded) return <Loaded urlIn={urlIn} />;
  return (
    <Button
      variant="outline"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={loadNow}
    >
      <DownloadIcon aria-hidden="true" />
      {t("open")}
    </Button>
  );
}
