import { useMemo } from "react";
import type { CodeSample } from "@/lib/client/code-samples";
import { highlight } from "./highlight";

/** A sample in colours, after the command that installs what it needs. */
export function HighlightedCode({ sample: { code, language, install } }: { sample: CodeSample }) {
  const pieces = useMemo(() => {
    const comment = language === "python" || language === "bash" ? "#" : "//";
    return highlight(install ? `${comment} ${install}\n${code}` : code, language);
  }, [code, language, install]);
  return pieces.map(({ text, className }, at) => (
    // Pieces have no ID: the position identifies them.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <span key={at} className={className ?? undefined}>
      {text}
    </span>
  ));
}
