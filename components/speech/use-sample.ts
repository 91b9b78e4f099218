"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { loadStream } from "@/components/speech/receive";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import { releaseUrl } from "@/lib/client/save-file";
import type { SpeechCall } from "@/lib/client/speech-call";
import { joinSamples, wavOf } from "@/lib/client/speech-pcm";

/** The voice whose sample is loading or playing. */
interface SampleState {
  voice: string;
  phase: "loading" | "playing";
}

/** Plays a short sentence in any voice; generated on first use, then cached until the page is left. */
export function useSample(model: string) {
  const t = useTranslations("speech");
  const locale = useLocale();
  const [sample, setSample] = useState<SampleState | null>(null);
  const [failure, setFailure] = useState<GatewayFailure | null>(null);
  const running = useRef<{ abort: AbortController; audio: HTMLAudioElement } | null>(null);
  const urls = useRef(new Map<string, string>());

  const stop = useCallback(() => {
    running.current?.abort.abort();
    running.current?.audio.pause();
    running.current = null;
    setSample(null);
  }, []);

  useEffect(() => {
    const cached = urls.current;
    return () => {
      stop();
      for (const url of cached.values()) releaseUrl(url);
      cached.clear();
    };
  }, [stop]);

  const play = async (voice: string) => {
    stop();
    setFailure(null);
    setSample({ voice, phase: "loading" });
    const session = { abort: new AbortController(), audio: new Audio() };
    running.current = session;
    try {
      const cacheKey = `${model} ${voice} ${locale}`;
      const url =
        urls.current.get(cacheKey) ??
        (await generateSample({ model, voice, text: t("sample", { voice }) }, session.abort.signal));
      urls.current.set(cacheKey, url);
      if (running.current !== session) return;
      session.audio.src = url;
      session.audio.onended = () => {
        if (running.current === session) stop();
      };
      await session.audio.play();
      if (running.current === session) setSample({ voice, phase: "playing" });
    } catch (error) {
      if (running.current !== session) return;
      stop();
      // Safari refuses to play seconds after the click; the next click plays the cached sample at once.
      if (!(error instanceof Error && error.name === "NotAllowedError")) setFailure(failureOfError(error));
    }
  };

  return { sample, failure, play, stop };
}

/** Generates a sample; resolves to an object URL of a WAV file. */
async function generateSample(
  { model, voice, text }: { model: string; voice: string; text: string },
  signal: AbortSignal,
): Promise<string> {
  const call: SpeechCall = { model, text, voices: { kind: "single", voice }, language: null, speed: 1 };
  const chunks: Int16Array<ArrayBuffer>[] = [];
  const { streamSpeech } = await loadStream();
  await withPlaygroundKey(async (key) => {
    for await (const event of streamSpeech(call, { key, signal })) {
      if (event.type === "audio") chunks.push(event.samples);
    }
  });
  return URL.createObjectURL(new Blob([wavOf(joinSamples(chunks))], { type: "audio/wav" }));
}
