import { failureOf, GatewayError } from "../../lib/client/gateway-error";
import type { SpeechCall } from "../../lib/client/speech-call";
import { pcmOf, wavOf } from "../../lib/client/speech-pcm";

export const DOWNLOAD_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

const ENDING: Record<DownloadFormat, string> = {
  mp3: "mp3",
  opus: "ogg",
  aac: "aac",
  flac: "flac",
  wav: "wav",
  pcm: "pcm",
};

/** A file's name that tells voice and first words; safe on every system. */
export function downloadName(call: SpeechCall, format: DownloadFormat): string {
  const who =
    call.cast.kind === "single" ? call.cast.voice : call.cast.speakers.map((one) => one.name).join("-");
  const words = `${who ?? "speech"} ${call.text.slice(0, 40)}`
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${words || "speech"}.${ENDING[format]}`;
}

/** The take as a file: the very sound that was heard. Throws GatewayError when the service cannot encode it. */
export async function takeAs(
  format: DownloadFormat,
  samples: Int16Array,
  options: { signal?: AbortSignal } = {},
): Promise<Blob> {
  if (format === "wav") return new Blob([wavOf(samples)], { type: "audio/wav" });
  const pcm = new Blob([pcmOf(samples)], { type: "audio/pcm" });
  if (format === "pcm") return pcm;
  const response = await fetch(`/api/recordings/encode?format=${format}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "audio/pcm" },
    body: pcm,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (!response.ok) throw new GatewayError(await failureOf(response));
  return response.blob();
}
