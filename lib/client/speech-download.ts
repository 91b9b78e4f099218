import { postJson } from "./gateway-error";
import { codePoints } from "./gateway-models";
import { OPENAI_INPUT_LIMIT, openaiBody, type SpeechCall } from "./speech-call";
import { pcmOf, wavOf } from "./speech-pcm";

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

/** Wav and pcm are the take's own samples; the others are made by the service, from the same text. */
export function isLocal(format: DownloadFormat): boolean {
  return format === "wav" || format === "pcm";
}

/** Why the service cannot make this take in a compressed format; null: it can. */
export function compressedBar(call: SpeechCall): "script" | "long" | "language" | null {
  if (call.cast.kind === "script") return "script";
  if (codePoints(call.text) > OPENAI_INPUT_LIMIT) return "long";
  return call.language === null ? null : "language";
}

/** A file's name that tells voice and first words; safe on every system. */
export function downloadName(call: SpeechCall, format: DownloadFormat): string {
  const who =
    call.cast.kind === "single" ? call.cast.voice : call.cast.speakers.map((one) => one.name).join("-");
  const words = `${who ?? "speech"} ${call.text.slice(0, 40)}`
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${words || "speech"}.${ENDING[format]}`;
}

/** The take as a file. Throws GatewayError when the service has to make it and refuses. */
export async function takeAs(
  format: DownloadFormat,
  take: { call: SpeechCall; samples: Int16Array },
  options: { key(run: (key: string) => Promise<Blob>): Promise<Blob>; signal?: AbortSignal },
): Promise<Blob> {
  if (format === "wav") return new Blob([wavOf(take.samples)], { type: "audio/wav" });
  if (format === "pcm") return new Blob([pcmOf(take.samples)], { type: "audio/pcm" });
  return options.key(async (key) => {
    const body = openaiBody(take.call, format);
    const response = await postJson("/v1/audio/speech", body, {
      key,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    return response.blob();
  });
}
