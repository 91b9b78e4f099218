"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { releaseUrl } from "@/lib/client/object-url";
import type { ChannelTest } from "@/lib/contracts/console/channels";
import { useErrorText } from "../forms/error-text";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/spinner";
import { Lamp } from "../ui/status-dot";
import { useFaultWords } from "./error-text";
import type { TestState } from "./use-test-call";

/** What came of a test: the sound to hear, the vector's size, or what went wrong. */
export function TestOutcome({ state, className }: { state: TestState; className?: string }) {
  return (
    <div role="status" className={cn("flex min-h-9 items-center gap-2 text-sm", className)}>
      <Outcome state={state} />
    </div>
  );
}

function Outcome({ state }: { state: TestState }) {
  const t = useTranslations("channels.test");
  const tell = useErrorText();
  switch (state.kind) {
    case "running":
      return (
        <span className="flex items-center gap-2 text-ink-muted">
          <Spinner className="size-3.5" />
          {t("running")}
        </span>
      );
    case "failed":
      return <Bad why={tell(state.error).message} />;
    case "done":
      if (state.test.error) return <Fault error={state.test.error} />;
      return state.test.operation === "speech" ? <Sound test={state.test} /> : <Vector test={state.test} />;
    default:
      return state satisfies never;
  }
}

function Bad({ why, said }: { why: string; said?: string }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Lamp tone="bad" />
      <span className="min-w-0 break-words">
        {why} {said ? <span className="text-ink-muted">{said}</span> : null}
      </span>
    </span>
  );
}

function Fault({ error }: { error: NonNullable<ChannelTest["error"]> }) {
  const words = useFaultWords();
  return <Bad {...words(error)} />;
}

function Vector({ test }: { test: ChannelTest }) {
  const t = useTranslations("channels.test");
  return (
    <span className="tabular flex items-baseline gap-2">
      <Lamp tone="good" />
      {t("vector", { dimensions: test.dimensions ?? 0, ms: test.latency_ms })}
    </span>
  );
}

/** The bytes of a base64 text as a file that the player can open; taken back when the player goes. */
function useSoundFile(base64: string): string {
  const bytes = useMemo(() => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)), [base64]);
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
    setUrl(made);
    return () => releaseUrl(made);
  }, [bytes]);
  return url;
}

function Sound({ test }: { test: ChannelTest }) {
  const t = useTranslations("channels.test");
  const format = useFormatter();
  const url = useSoundFile(test.audio_wav ?? "");
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [progress, setProgress] = useState(0);
  // A browser that plays nothing by itself waits for the press.
  const play = () => void audio.current?.play().catch(() => setPlaying(false));

  useEffect(() => {
    if (url) audio.current?.play().catch(() => undefined);
  }, [url]);

  const seconds = format.number((test.audio_ms ?? 0) / 1_000, { maximumFractionDigits: 1 });
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Button
        variant="signal"
        size="icon-sm"
        className="rounded-full"
        aria-label={t(isPlaying ? "pause" : "play")}
        onClick={() => (isPlaying ? audio.current?.pause() : play())}
      >
        {isPlaying ? <PauseIcon /> : <PlayIcon />}
      </Button>
      <span className="grid gap-1">
        <span className="tabular">{t("sound", { seconds, ms: test.latency_ms })}</span>
        <span aria-hidden="true" className="h-0.5 overflow-hidden rounded-full bg-sunken">
          <span className="block h-full bg-signal" style={{ width: `${progress * 100}%` }} />
        </span>
      </span>
      {/* biome-ignore lint/a11y/useMediaCaption: the words are the same in every test and say nothing of their own */}
      <audio
        ref={audio}
        src={url || undefined}
        aria-label={t("player")}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget: { currentTime, duration } }) =>
          setProgress(duration > 0 ? currentTime / duration : 0)
        }
      />
    </span>
  );
}
