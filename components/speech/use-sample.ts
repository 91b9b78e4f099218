"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { streamSpeech } from "@/components/speech/stream";
import { failureOfError, type GatewayFailure } from "@/lib/client/gateway-error";
import { releaseUrl } from "@/lib/client/object-url";
import { joinSamples, wavOf } from "@/lib/client/speech-pcm";
import { withPlaygroundKey } from "@/lib/client/with-playground-key";

/** Which voice is being tried, and whether it sounds yet. */
export interface SampleState {
  voice: string;
  phase: "loading" | "playing";
}

/** A short sentence by any voice, made by the service on the first press and kept for the next. */
export function useSample(model: string) {
  const t = useTranslations("speech");
  const locale = useLocale();
  const [sample, setSample] = useState<SampleState | null>(null);
  const [failure, setFailure] = useState<GatewayFailure | null>(null);
  const running = useRef<{ abort: AbortController; audio: HTMLAudioElement } | null>(null);
  const made = useRef(new Map<string, string>());

  const stop = useCallback(() => {
    running.current?.abort.abort();
    running.current?.audio.pause();
    running.current = null;
    setSample(null);
  }, []);

  useEffect(() => {
    const urls = made.current;
    return () => {
      stop();
      for (const url of urls.values()) releaseUrl(url);
      urls.clear();
    };
  }, [stop]);

  const play = useCallback(
    async (voice: string) => {
      stop();
      setFailure(null);
      setSample({ voice, phase: "loading" });
      const mine = { abort: new AbortController(), audio: new Audio() };
      running.current = mine;
      const end = () => {
        if (running.current === mine) stop();
      };
      try {
        const name = `${model} ${voice} ${locale}`;
        const url =
          made.current.get(name) ??
          (await soundOf({ model, voice, text: t("sample", { voice }) }, mine.abort.signal));
        made.current.set(name, url);
        if (running.current !== mine) return;
        mine.audio.src = url;
        mine.audio.onended = end;
        await mine.audio.play();
        if (running.current === mine) setSample({ voice, phase: "playing" });
      } catch (error) {
        if (running.current !== mine) return;
        end();
        setFailure(failureOfError(error));
      }
    },
    [model, locale, stop, t],
  );

  return { sample, failure, play, stop };
}

async function soundOf(
  { model, voice, text }: { model: string; voice: string; text: string },
  signal: AbortSignal,
): Promise<string> {
  const call = { model, text, cast: { kind: "single", voice }, language: null, speed: 1 } as const;
  const chunks: Int16Array<ArrayBuffer>[] = [];
  await withPlaygroundKey(async (key) => {
    for await (const event of streamSpeech(call, { key, signal })) {
      if (event.type === "audio") chunks.push(event.samples);
    }
  });
  return URL.createObjectURL(new Blob([wavOf(joinSamples(chunks))], { type: "audio/wav" }));
}
