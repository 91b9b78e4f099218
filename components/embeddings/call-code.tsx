"use client";

import { useMemo } from "react";
import { embeddingsSamples } from "@/lib/client/code-samples-embeddings";
import type { EmbeddingsCall } from "@/lib/client/embeddings-call";
import { CodeFrame } from "../playground/code-frame";
import { CodeTabs } from "../playground/code-tabs";

/** Code samples that make the call set up on the page. */
export function CallCode({ call }: { call: EmbeddingsCall }) {
  const samples = useMemo(() => embeddingsSamples(call, window.location.origin), [call]);
  return (
    <CodeFrame>
      <CodeTabs samples={samples} />
    </CodeFrame>
  );
}
