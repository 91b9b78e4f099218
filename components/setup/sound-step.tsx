"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { failureOfError, postJson } from "@/lib/client/gateway-error";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import { releaseUrl } from "@/lib/client/save-file";
import { geminiBody, type SpeechCall } from "@/lib/client/speech-call";
import { bytesFromBase64, durationMsOf, samplesFromBytes, wavOf } from "@/lib/client/speech-pcm";
import { PeaksCanvas } from "../audio/peaks-canvas";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/error-state";
import { Textarea } from "../ui/input";
import { RequestAsCurl } from "./request-as-curl";
import { StepActions, StepBody } from "./wizard-frame";

const CALL_PATH = "/v1beta/models/patchbay-speech:generateContent";

/** The wizard's last step: generates speech with the first key and plays it. */
export function SoundStep({
  secret,
  onFinish,
  onBack,
}: {
  secret: string | null;
  onFinish(): Promise<void>;
  onBack(): void;
}) {
  const t = useTranslations("setup.sound");
  const [text, setText] = useState(t("sentence"));
  const [isFinishing, setFinishing] = useState(false);
  const [finishError, setFinishError] = useState<unknown>(null);
  const body = geminiBody(speechCall(text));
  const { sound, error, isBusy, speak } = useSpeech(secret);
  const run = () => void speak(body);
  const finish = async () => {
    setFinishing(true);
    setFinishError(null);
    try {
      await onFinish();
    } catch (failure) {
      setFinishError(failure);
      setFinishing(false);
    }
  };

  return (
    <StepBody title={t("title")} text={secret ? t("text") : t("textWithoutKey")}>
      <Form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field label={t("input")}>
          {(control) => (
            <Textarea
              {...control}
              value={text}
              maxLength={400}
              onChange={(event) => setText(event.target.value)}
              className="text-lg"
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-4">
          <Button
            type="submit"
            variant={sound ? "outline" : "signal"}
            size="lg"
            isBusy={isBusy}
            disabled={text.trim() === ""}
          >
            <PlayIcon aria-hidden="true" />
            {sound ? t("again") : t("play")}
          </Button>
          <SpeechStatus sound={sound} isBusy={isBusy} />
        </div>
      </Form>
      <SoundError error={error} onRetry={run} />
      {sound ? <SoundPlayer sound={sound} /> : null}
      <RequestAsCurl path={CALL_PATH} body={body} secret={secret} />
      <CallError error={finishError} />
      <StepActions onBack={onBack}>
        <Button size="lg" variant={sound ? "primary" : "ghost"} isBusy={isFinishing} onClick={finish}>
          {sound ? t("finish") : t("skip")}
        </Button>
      </StepActions>
    </StepBody>
  );
}

/** Generates speech with the API key, or with a playground key if the page no longer has it. */
function useSpeech(secret: string | null) {
  const [sound, setSound] = useState<Sound | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const url = sound?.url;

  useEffect(() => {
    if (!url) return;
    return () => releaseUrl(url);
  }, [url]);

  const speak = async (body: ReturnType<typeof geminiBody>) => {
    setBusy(true);
    setError(null);
    const startedAt = performance.now();
    try {
      const send = (key: string) => postJson(CALL_PATH, body, { key });
      const response = await (secret ? send(secret) : withPlaygroundKey(send));
      const samples = samplesFromBytes(audioOf(await response.json()));
      setSound({
        samples,
        url: URL.createObjectURL(new Blob([wavOf(samples)], { type: "audio/wav" })),
        durationMs: durationMsOf(samples),
        tookMs: performance.now() - startedAt,
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { sound, error, isBusy, speak };
}

function SpeechStatus({ sound, isBusy }: { sound: Sound | null; isBusy: boolean }) {
  const t = useTranslations("setup.sound");
  const { ms, audio } = useAmounts();
  const generated = sound && t("generated", { duration: audio(sound.durationMs), took: ms(sound.tookMs) });
  return (
    <p role="status" className="text-sm text-ink-muted">
      {isBusy ? t("generating") : generated}
    </p>
  );
}

function speechCall(text: string): SpeechCall {
  return {
    model: "patchbay-speech",
    text,
    voices: { kind: "single", voice: "Kore" },
    language: null,
    speed: 1,
  };
}

/** The audio of a Gemini response. Throws a TypeError if there is none. */
function audioOf(reply: {
  candidates?: { content?: { parts?: { inlineData?: { data?: string } }[] } }[];
}): Uint8Array {
  const data = reply.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data;
  if (typeof data !== "string") throw new TypeError("The response contains no audio.");
  return bytesFromBase64(data);
}

function SoundError({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useTranslations("setup.sound");
  const common = useTranslations("common.error");
  const failure = error ? failureOfError(error) : null;
  if (!failure) return null;
  return (
    <ErrorState
      title={t("failed")}
      message={failure.message || (failure.advice === "offline" ? common("network") : common("unexpected"))}
      requestId={failure.requestId}
      onRetry={onRetry}
    />
  );
}

interface Sound {
  url: string;
  samples: Int16Array;
  durationMs: number;
  tookMs: number;
}

/** Plays the audio with a waveform that shows progress. Starts automatically if the browser allows it. */
function SoundPlayer({ sound }: { sound: Sound }) {
  const t = useTranslations("setup.sound");
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const play = useCallback(() => {
    audio.current?.play().then(
      () => setBlocked(false),
      () => setBlocked(true),
    );
  }, []);
  const progress = useCallback(() => {
    const { currentTime = 0, duration = 0 } = audio.current ?? {};
    return duration > 0 ? currentTime / duration : 0;
  }, []);

  // Starts once the <audio> element has the new source.
  useEffect(() => {
    if (sound.url) play();
  }, [sound.url, play]);

  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-4 rounded-md border bg-panel p-3">
        <Button
          variant="signal"
          size="icon"
          className="size-11 rounded-full"
          aria-label={isPlaying ? t("pause") : t("playAgain")}
          onClick={() => (isPlaying ? audio.current?.pause() : play())}
        >
          {isPlaying ? <PauseIcon className="fill-current" /> : <PlayIcon className="fill-current" />}
        </Button>
        <div className="h-14 min-w-0 flex-1">
          <PeaksCanvas samples={sound.samples} isLive={isPlaying} progress={progress} />
        </div>
        {/* biome-ignore lint/a11y/useMediaCaption: the spoken text is in the field above */}
        <audio
          ref={audio}
          src={sound.url}
          aria-label={t("player")}
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onEnded={() => setPlaying(false)}
        />
      </div>
      {isBlocked ? (
        <p role="status" className="text-sm text-ink-muted">
          {t("blocked")}
        </p>
      ) : null}
    </div>
  );
}
