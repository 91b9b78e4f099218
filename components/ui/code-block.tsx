"use client";

import type { ReactNode } from "react";
import { cn } from "./class-names";
import { CopyButton } from "./copy-button";

/** Code in a scrolling box with a copy button. */
export function CodeBlock({
  code,
  label,
  copy,
  isFullHeight = false,
  children = code,
}: {
  code: string;
  label: string;
  copy?: string;
  /** Shows every line; otherwise the block is at most 24 rem high and scrolls. */
  isFullHeight?: boolean;
  /** The code in colours. */
  children?: ReactNode;
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
        <code translate="no">{children}</code>
      </pre>
      <CopyButton value={code} name={copy} className="absolute top-1.5 right-1.5 bg-sunken" />
    </div>
  );
}
