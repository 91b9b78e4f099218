"use client";

import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";

/** Code in a scrolling box with a copy button. */
export function CodeBlock({
  code,
  label,
  copy,
  isFullHeight = false,
}: {
  code: string;
  label: string;
  copy?: string;
  /** Shows every line; otherwise the block is at most 24 rem high and scrolls. */
  isFullHeight?: boolean;
}) {
  return (
    // Not a section: a page has many samples, and a landmark for each would hide the useful ones.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div role="group" aria-label={label} className="relative min-w-0 rounded-md border bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className={cn("overflow-auto p-4 pr-12 text-sm leading-5", !isFullHeight && "max-h-96")}
      >
        <code>{code}</code>
      </pre>
      <CopyButton value={code} name={copy} className="absolute top-1.5 right-1.5 bg-sunken" />
    </div>
  );
}
