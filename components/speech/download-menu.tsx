"use client";

import { DownloadIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import {
  DOWNLOAD_FORMATS,
  type DownloadFormat,
  downloadName,
  encodeTake,
} from "@/components/speech/download";
import type { Take } from "@/components/speech/history";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { saveFile } from "@/lib/client/save-file";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { Dialog, DialogContent, DialogTitle } from "../ui/dialog";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

/** Downloads a take as a file in one of the formats. */
export function DownloadMenu({ take }: { take: Take }) {
  const t = useTranslations("speech.player");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<GatewayFailure | null>(null);

  const download = async (format: DownloadFormat) => {
    setBusy(true);
    try {
      saveFile(await encodeTake(format, take.samples), downloadName(take.call, format));
    } catch (error) {
      setFailure(failureOfError(error));
    } finally {
      setBusy(false);
    }
  };
  const item = (format: DownloadFormat) => (
    <DropdownMenuItem key={format} onSelect={() => void download(format)} className="font-mono">
      {format}
    </DropdownMenuItem>
  );

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button variant="outline" isBusy={isBusy}>
            <DownloadIcon aria-hidden="true" />
            {t("download")}
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="end" className="min-w-32">
          {DOWNLOAD_FORMATS.map(item)}
        </DropdownMenuContent>
      </DropdownMenu>
      {failure ? (
        <Dialog open onOpenChange={() => setFailure(null)}>
          <DialogContent aria-describedby={undefined}>
            <DialogTitle>{t("download")}</DialogTitle>
            <FailureNotice failure={failure} />
          </DialogContent>
        </Dialog>
      ) : null}
    </>
  );
}
