"use client";

import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";

/** Code that scrolls in its own box, with a button that copies it. */
export function CodeBlock({
  code,
  label,
  copy,
  isWhole = false,
}: {
  code: string;
  label: string;
  copy?: string;
  /** As high as its lines; else it scrolls beyond a screenful's third. */
  isWhole?: boolean;
}) {
  return (
    // A landmark for each of a page's many samples would bury those that lead somewhere.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-label={label} className="relative min-w-0 rounded-md border bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keys
        tabIndex={0}
        className={cn("overflow-auto p-4 pr-12 text-sm leading-5", !isWhole && "max-h-96")}
      >
        <code>{code}</code>
      </pre>
      <CopyButton value={code} name={copy} className="absolute top-1.5 right-1.5 bg-sunken" />
    </div>
  );
}
