import { api, urlOf } from "../../lib/client/api";
import { failureOfResponse, GatewayError } from "../../lib/client/gateway-error";
import type { SpeechCall } from "../../lib/client/speech-call";
import { pcmOf, wavOf } from "../../lib/client/speech-pcm";

export const DOWNLOAD_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

const EXTENSION: Record<DownloadFormat, string> = {
  mp3: "mp3",
  opus: "ogg",
  aac: "aac",
  flac: "flac",
  wav: "wav",
  pcm: "pcm",
};

/** Names of the formats, not translated. */
export const FORMAT_NAME: Record<DownloadFormat, string> = {
  mp3: "MP3",
  opus: "Opus",
  aac: "AAC",
  flac: "FLAC",
  wav: "WAV",
  pcm: "PCM",
};

/** A file name of voice and first words; valid on every system. */
export function downloadName(call: SpeechCall, format: DownloadFormat): string {
  const speaker =
    call.voices.kind === "single" ? call.voices.voice : call.voices.speakers.map((one) => one.name).join("-");
  const words = `${speaker ?? "speech"} ${call.text.slice(0, 40)}`
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${words || "speech"}.${EXTENSION[format]}`;
}

/** The samples as a file. Throws GatewayError when the server cannot encode them. */
export async function encodeTake(
  format: DownloadFormat,
  samples: Int16Array,
  options: { signal?: AbortSignal } = {},
): Promise<Blob> {
  if (format === "wav") return new Blob([wavOf(samples)], { type: "audio/wav" });
  const pcm = new Blob([pcmOf(samples)], { type: "audio/pcm" });
  if (format === "pcm") return pcm;
  const response = await fetch(urlOf(api.encodeRecording, { query: { format } }), {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "audio/pcm" },
    body: pcm,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (!response.ok) throw new GatewayError(await failureOfResponse(response));
  return response.blob();
}
