"use client";

import { PlayIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { shellJson } from "@/lib/client/code-samples";
import { failureFrom, postJson } from "@/lib/client/gateway-error";
import { geminiBody, type SpeechCall } from "@/lib/client/speech-call";
import { bytesFromBase64, durationMsOf, samplesFromBytes, wavOf } from "@/lib/client/speech-pcm";
import { withPlaygroundKey } from "@/lib/client/with-playground-key";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { ErrorState } from "../ui/error-state";
import { Textarea } from "../ui/textarea";
import { StepActions, StepBody } from "./wizard-frame";

const PATH = "/v1beta/models/patchbay-speech:generateContent";

interface Sound {
  url: string;
  durationMs: number;
  tookMs: number;
}

/** The wizard's last screen: one press and the service is heard. */
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
  const common = useTranslations("common");
  const [text, setText] = useState(t("sentence"));
  const [sound, setSound] = useState<Sound | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const [isFinishing, setFinishing] = useState(false);
  const player = useRef<HTMLAudioElement>(null);
  const url = sound?.url;

  useEffect(() => {
    if (!url) return;
    player.current?.play().catch(() => setBlocked(true));
    return () => URL.revokeObjectURL(url);
  }, [url]);

  const body = geminiBody(callOf(text));
  const speak = async () => {
    setBusy(true);
    setError(null);
    setBlocked(false);
    const startedAt = performance.now();
    try {
      const run = (key: string) => postJson(PATH, body, { key });
      const response = await (secret ? run(secret) : withPlaygroundKey(run));
      const samples = samplesFromBytes(audioOf(await response.json()));
      setSound({
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

  return (
    <StepBody title={t("title")} text={t("text")}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void speak();
        }}
      >
        <Field label={t("words")}>
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
          <p role="status" className="text-sm text-ink-muted">
            {isBusy
              ? t("making")
              : sound
                ? t("made", {
                    seconds: (sound.durationMs / 1000).toFixed(1),
                    ms: Math.round(sound.tookMs),
                  })
                : null}
          </p>
        </div>
      </form>
      <SoundError error={error} onRetry={() => void speak()} />
      {sound ? (
        <div className="grid gap-2">
          {/* biome-ignore lint/a11y/useMediaCaption: the words stand in the field above */}
          <audio ref={player} src={sound.url} controls aria-label={t("player")} className="w-full" />
          {isBlocked ? <p className="text-sm text-ink-muted">{t("blocked")}</p> : null}
        </div>
      ) : null}
      <CallAsCurl body={body} secret={secret} />
      <StepActions>
        <Button variant="outline" size="lg" onClick={onBack}>
          {common("back")}
        </Button>
        <Button
          size="lg"
          variant={sound ? "primary" : "ghost"}
          isBusy={isFinishing}
          onClick={async () => {
            setFinishing(true);
            try {
              await onFinish();
            } catch (failure) {
              setError(failure);
              setFinishing(false);
            }
          }}
        >
          {sound ? t("finish") : t("skip")}
        </Button>
      </StepActions>
    </StepBody>
  );
}

function callOf(text: string): SpeechCall {
  return {
    model: "patchbay-speech",
    text,
    cast: { kind: "single", voice: "Kore" },
    language: null,
    speed: 1,
  };
}

/** The audio of a Gemini reply. Throws TypeError on any other shape. */
function audioOf(reply: {
  candidates?: { content?: { parts?: { inlineData?: { data?: string } }[] } }[];
}): Uint8Array {
  const data = reply.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data;
  if (typeof data !== "string") throw new TypeError("The reply holds no audio.");
  return bytesFromBase64(data);
}

function SoundError({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useTranslations("setup.sound");
  const common = useTranslations("common.error");
  const failure = error ? failureFrom(error) : null;
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

function CallAsCurl({ body, secret }: { body: unknown; secret: string | null }) {
  const t = useTranslations("setup.sound");
  const origin = typeof window === "undefined" ? "" : window.location.origin;
  const curl = (key: string) =>
    [
      `curl ${origin}${PATH} \\`,
      `  -H "Authorization: Bearer ${key}" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d ${shellJson(body)}`,
    ].join("\n");
  const masked = secret ? `${secret.slice(0, 8)}…${secret.slice(-4)}` : "$PATCHBAY_API_KEY";
  return (
    <section className="grid gap-2" aria-label={t("call")}>
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm font-medium">{t("call")}</h2>
        <CopyButton value={() => curl(secret ?? "$PATCHBAY_API_KEY")} label={t("copyCall")} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-md border bg-sunken p-4 text-sm">
        {curl(masked)}
      </pre>
    </section>
  );
}
