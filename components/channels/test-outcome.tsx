"use client";

import { PauseIcon, PlayIcon } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { releaseUrl } from "@/lib/client/save-file";
import type { ChannelTest, UpstreamFailure } from "@/lib/contracts/console/channels";
import { useAmounts } from "../charts/use-amounts";
import { useErrorText } from "../forms/call-error";
import { useServerText } from "../forms/use-server-text";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/progress";
import type { TestState } from "./use-test-call";

const KNOWN = [
  "address_refused",
  "name_unknown",
  "connection_refused",
  "connect_timeout",
  "tls_failed",
  "connection_lost",
  "protocol_error",
] as const;
/** What the upstream refused: the channel's key or account. Shown with the upstream's own message, which says more. */
const REFUSED = ["credentials", "account"] as const;

interface ErrorText {
  summary: string;
  detail: string;
}

type Texts = ReturnType<typeof useTranslations<"channels.upstreamError">>;

/**
 * Our summary of an upstream error, with the key that it is about, and as `detail` the upstream's own message, or ours
 * where it sent none.
 */
export function upstreamErrorText(t: Texts, error: UpstreamFailure): ErrorText {
  const text = errorText(t, error);
  return error.key === null
    ? text
    : { ...text, summary: t("ofKey", { key: error.key, error: text.summary }) };
}

function errorText(t: Texts, error: UpstreamFailure): ErrorText {
  const known = KNOWN.find((name) => name === error.fault);
  if (known) return { summary: t(known), detail: "" };
  const { upstream_status: status, upstream_message } = error;
  const detail = upstream_message ?? "";
  const refused = REFUSED.find((name) => name === error.fault);
  // Without a status no upstream call was made: the key could not be decrypted, as our message says.
  if (refused) return { summary: t(refused), detail: status === null ? error.message : detail };
  if (error.code === "upstream_rate_limited") return { summary: t("limited"), detail };
  if (error.code === "upstream_timeout") return { summary: t("slow"), detail };
  if (detail !== "" && status !== null) return { summary: t("answered", { status }), detail };
  return { summary: t("title"), detail: error.message };
}

export function useUpstreamErrorText(): (error: UpstreamFailure) => ErrorText {
  const t = useTranslations("channels.upstreamError");
  const serverText = useServerText();
  return (error) => upstreamErrorText(t, { ...error, message: serverText(error.message) });
}

/** Why a test failed; null: it did not. */
export function useTestFailure(): (state: TestState | undefined) => ErrorText | null {
  const gone = useTranslations("common.error")("gone");
  const errorText = useErrorText();
  const upstreamText = useUpstreamErrorText();
  return (state) => {
    if (state?.kind === "failed") {
      // The channel was deleted meanwhile.
      const summary = isApiError(state.error, "not_found") ? gone : errorText(state.error).message;
      return { summary, detail: "" };
    }
    return state?.kind === "done" && state.test.error ? upstreamText(state.test.error) : null;
  };
}

/** Result of a test: the audio to play, the vector's dimensions, or the error. */
export function TestOutcome({
  state,
  isQuiet = false,
  className,
}: {
  state: TestState;
  /** One of several tests: audio waits for a click, and the list announces the results. */
  isQuiet?: boolean;
  className?: string;
}) {
  return (
    <div
      role={isQuiet ? undefined : "status"}
      className={cn("flex min-h-9 items-center gap-2 text-sm", className)}
    >
      <Outcome state={state} isQuiet={isQuiet} />
    </div>
  );
}

function Outcome({ state, isQuiet }: { state: TestState; isQuiet: boolean }) {
  const t = useTranslations("channels.test");
  const failure = useTestFailure()(state);
  if (failure) return <Failure {...failure} />;
  switch (state.kind) {
    case "running":
      return (
        <span className="flex items-center gap-2 text-ink-muted">
          <Spinner className="size-3.5" />
          {t("running")}
        </span>
      );
    case "failed":
      return null;
    case "done":
      return state.test.operation === "speech" ? (
        <AudioPlayer test={state.test} isQuiet={isQuiet} />
      ) : (
        <Vector test={state.test} />
      );
    default:
      return state satisfies never;
  }
}

function Failure({ summary, detail }: ErrorText) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <StatusDot tone="bad" />
      <span className="min-w-0 break-words">
        {summary} {detail ? <span className="text-ink-muted">{detail}</span> : null}
      </span>
    </span>
  );
}

function Vector({ test }: { test: ChannelTest }) {
  const t = useTranslations("channels.test");
  const { ms } = useAmounts();
  return (
    <span className="tabular flex items-baseline gap-2">
      <StatusDot tone="good" />
      {t("vector", { dimensions: test.dimensions ?? 0, time: ms(test.latency_ms) })}
    </span>
  );
}

/** Object URL of base64-encoded WAV bytes; released on unmount. */
function useAudioUrl(base64: string): string {
  const bytes = useMemo(
    () => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    [base64],
  );
  const [url, setUrl] = useState("");
  useEffect(() => {
    const objectUrl = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
    setUrl(objectUrl);
    return () => releaseUrl(objectUrl);
  }, [bytes]);
  return url;
}

function AudioPlayer({ test, isQuiet }: { test: ChannelTest; isQuiet: boolean }) {
  const t = useTranslations("channels.test");
  const amounts = useAmounts();
  const url = useAudioUrl(test.audio_wav ?? "");
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [progress, setProgress] = useState(0);
  // If the browser blocks autoplay, the user starts the audio with the button.
  const play = () => void audio.current?.play().catch(() => setPlaying(false));

  useEffect(() => {
    if (url && !isQuiet) audio.current?.play().catch(() => undefined);
  }, [url, isQuiet]);

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
        <span className="tabular">
          {t("sound", { length: amounts.audio(test.audio_ms ?? 0), time: amounts.ms(test.latency_ms) })}
        </span>
        <span aria-hidden="true" className="h-0.5 overflow-hidden rounded-full bg-sunken">
          <span className="block h-full bg-signal" style={{ width: `${progress * 100}%` }} />
        </span>
      </span>
      {/* biome-ignore lint/a11y/useMediaCaption: the spoken text is a fixed test phrase */}
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
