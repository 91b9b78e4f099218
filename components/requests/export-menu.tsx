"use client";

import { DownloadIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { api, urlOf } from "@/lib/client/api";
import { type CallFilters, REJECTED, rejectionsQuery } from "@/lib/client/calls";
import { type Range, rangeQuery } from "@/lib/client/range";
import { Button } from "../ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

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
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline">
          <DownloadIcon aria-hidden="true" />
          {t("open")}
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {FORMATS.map((format) => (
          <DropdownMenuItem key={format} asChild>
            <a href={urlIn(format)} download>
              {t(format)}
            </a>
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
