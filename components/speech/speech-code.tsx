"use client";

import { useMemo } from "react";
import { speechSamples } from "@/lib/client/code-samples-speech";
import type { SpeechCall } from "@/lib/client/speech-call";
import { CodeFrame } from "../playground/code-frame";
import { CodeTabs } from "../playground/code-tabs";

/** The call as code. Rendered in the browser only, because it contains the page's origin. */
export default function SpeechCode({ call }: { call: SpeechCall }) {
  const samples = useMemo(() => speechSamples(call, window.location.origin), [call]);
  return (
    <CodeFrame>
      <CodeTabs samples={samples} />
    </CodeFrame>
  );
}
