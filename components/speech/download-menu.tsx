"use client";

import { CheckIcon, ChevronDownIcon, DownloadIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import { api, urlOf } from "@/lib/client/api";
import {
  failureOfError,
  failureOfResponse,
  GatewayError,
  type GatewayFailure,
} from "@/lib/client/gateway-error";
import { saveFile } from "@/lib/client/save-file";
import type { SpeechCall } from "@/lib/client/speech-call";
import { pcmOf, setFlacLength, wavOf } from "@/lib/client/speech-pcm";
import { readStored, writeStored } from "@/lib/client/storage";
import { BITRATES_KBPS } from "@/lib/contracts/gateway/audio-bitrates";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { Dialog, DialogContent, DialogTitle } from "../ui/dialog";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

const DOWNLOAD_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

/** Names of the formats, not translated. */
const FORMAT_NAME: Record<DownloadFormat, string> = {
  mp3: "MP3",
  opus: "Opus",
  aac: "AAC",
  flac: "FLAC",
  wav: "WAV",
  pcm: "PCM",
};

/** A file name of voice and first words; valid on every system. */
function downloadName(call: SpeechCall, format: DownloadFormat): string {
  const speaker =
    call.voices.kind === "single" ? call.voices.voice : call.voices.speakers.map((one) => one.name).join("-");
  const words = `${speaker ?? "speech"} ${call.text.slice(0, 40)}`
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${words || "speech"}.${format === "opus" ? "ogg" : format}`;
}

/** The samples as a file. Throws GatewayError when the server cannot encode them. */
async function encodeTake(format: DownloadFormat, samples: Int16Array): Promise<Blob> {
  if (format === "wav") return new Blob([wavOf(samples)], { type: "audio/wav" });
  const pcm = new Blob([pcmOf(samples)], { type: "audio/pcm" });
  if (format === "pcm") return pcm;
  const response = await fetch(urlOf(api.encodeRecording, { query: { format } }), {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "audio/pcm" },
    body: pcm,
  });
  if (!response.ok) throw new GatewayError(await failureOfResponse(response));
  const file = await response.arrayBuffer();
  if (format === "flac") setFlacLength(file, samples.length);
  return new Blob([file], { type: response.headers.get("content-type") ?? "" });
}

const STORED = "patchbay-download-format";

/** The format of the last download in this browser. */
function storedFormat(): DownloadFormat {
  const stored = readStored("localStorage", STORED);
  return DOWNLOAD_FORMATS.find((one) => one === stored) ?? "mp3";
}

/** Downloads a take as a file: in the format of the last download, or in another one from the menu. */
export function DownloadMenu({ take }: { take: Take }) {
  const t = useTranslations("speech.player");
  // Reads the storage while rendering: the player is rendered in the browser only.
  const [format, setFormat] = useState(storedFormat);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<GatewayFailure | null>(null);

  const download = async (format: DownloadFormat) => {
    setFormat(format);
    writeStored("localStorage", STORED, format);
    setBusy(true);
    try {
      saveFile(await encodeTake(format, take.samples), downloadName(take.call, format));
    } catch (error) {
      setFailure(failureOfError(error));
    } finally {
      setBusy(false);
    }
  };

  const formatTitle = (one: DownloadFormat): string => {
    switch (one) {
      case "mp3":
      case "opus":
      case "aac":
        return t("formats.lossy", { kbps: BITRATES_KBPS[one] });
      case "flac":
      case "wav":
      case "pcm":
        return t(`formats.${one}`);
    }
  };

  return (
    <>
      <div className="flex">
        <Button
          variant="outline"
          isBusy={isBusy}
          title={formatTitle(format)}
          className="rounded-r-none"
          onClick={() => void download(format)}
        >
          <DownloadIcon aria-hidden="true" />
          {t("download", { format: FORMAT_NAME[format] })}
        </Button>
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <Button
              variant="outline"
              size="icon"
              disabled={isBusy}
              aria-label={t("downloadAs")}
              className="-ml-px rounded-l-none"
            >
              <ChevronDownIcon />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end" className="min-w-64">
            {DOWNLOAD_FORMATS.map((one) => (
              <DropdownMenuItem key={one} onSelect={() => void download(one)}>
                <span className="w-12 font-medium">{FORMAT_NAME[one]}</span>
                <span className="tabular text-sm text-ink-muted">{formatTitle(one)}</span>
                {one === format ? <CheckIcon aria-hidden="true" className="ml-auto" /> : null}
              </DropdownMenuItem>
            ))}
          </DropdownMenuContent>
        </DropdownMenu>
      </div>
      {failure ? (
        <Dialog open onOpenChange={() => setFailure(null)}>
          <DialogContent aria-describedby={undefined}>
            <DialogTitle>{t("download", { format: FORMAT_NAME[format] })}</DialogTitle>
            <FailureNotice failure={failure} />
          </DialogContent>
        </Dialog>
      ) : null}
    </>
  );
}
