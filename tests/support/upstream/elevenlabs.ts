import type { InjectedFailure } from "./injected-failure";
import { json, parts, type Reply, stream } from "./reply";
import { tokensOf, tonePcm } from "./sounds";

export function elevenLabsError(status: number, message: string, code: string): Reply {
  return json(status, { detail: { status: code, message } });
}

export function elevenLabsSpeech(
  voice: string,
  format: string,
  body: Record<string, unknown>,
  failure: InjectedFailure | null,
): Reply {
  const text = String(body.text);
  const rate = Number(/^pcm_(\d+)$/.exec(format)?.[1] ?? 0);
  if (rate === 0)
    return stream("audio/mpeg", [Buffer.from([0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0])], tokensOf(text));
  const spoken = tonePcm(text, voice, rate);
  const pcm = failure?.kind === "short-audio" ? spoken.subarray(0, failure.n) : spoken;
  const isSilent = failure?.kind === "silent-symbols" && !/\p{L}/u.test(text);
  if (failure?.kind === "no-audio" || isSilent) return stream("audio/pcm", [], tokensOf(text));
  if (failure?.kind === "mp3") {
    const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
    return stream("audio/mpeg", Array<Buffer>(20).fill(frame), tokensOf(text));
  }
  return stream("audio/mpeg", parts(pcm, 4_801), tokensOf(text));
}

export function elevenLabsLists(path: string): Reply | null {
  if (path.endsWith("/voices")) {
    const voice = (voice_id: string, name: string, gender: string) => ({
      voice_id,
      name,
      category: "premade",
      labels: { gender, language: "en", descriptive: "mature" },
    });
    return json(200, {
      voices: [
        voice("id-sarah", "Sarah - Mature, Reassuring", "female"),
        voice("id-george", "George", "male"),
      ],
      has_more: false,
    });
  }
  if (!path.endsWith("/models")) return null;
  return json(200, [
    { model_id: "eleven_multilingual_v2", can_do_text_to_speech: true },
    { model_id: "eleven_english_sts_v2", can_do_text_to_speech: false },
  ]);
}
