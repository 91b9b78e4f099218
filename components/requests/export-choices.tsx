"use client";

import { DownloadIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

const FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** The formats of an export, as a menu; loaded on the click that opens it. */
export function ExportChoices({ urlIn }: { urlIn(format: ExportFormat): string }) {
  const t = useTranslations("requests.export");
  return (
    <DropdownMenu defaultOpen>
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
