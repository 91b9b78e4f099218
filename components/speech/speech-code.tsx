"use client";

import { useMemo } from "react";
import { speechSamples } from "@/lib/client/code-samples-speech";
import type { SpeechCall } from "@/lib/client/speech-call";
import { CodePanel } from "../playground/code-panel";

/** The call as code. Rendered in the browser only, because it contains the page's origin. */
export default function SpeechCode({ call }: { call: SpeechCall }) {
  const samples = useMemo(() => speechSamples(call, window.location.origin), [call]);
  return <CodePanel samples={samples} />;
}
