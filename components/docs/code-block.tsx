"use client";

import { CopyButton } from "../ui/copy-button";

/** Code that scrolls in its own box, with a button that copies it. */
export function CodeBlock({ code, label, copy }: { code: string; label: string; copy?: string }) {
  return (
    <section aria-label={label} className="relative min-w-0 rounded-md border bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keys
        tabIndex={0}
        className="max-h-96 overflow-auto p-4 pr-12 text-sm leading-5"
      >
        <code>{code}</code>
      </pre>
      <CopyButton value={code} name={copy} className="absolute top-1.5 right-1.5 bg-sunken" />
    </section>
  );
}
