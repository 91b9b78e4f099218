import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Text in a box of limited height: the keyboard reaches it, and the arrow keys scroll it. */
export function ScrollBox({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <span role="group" aria-label={label} className="block">
      <span
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className={cn(
          "block overflow-y-auto rounded-md border bg-sunken wrap-anywhere whitespace-pre-wrap",
          className,
        )}
      >
        {children}
      </span>
    </span>
  );
}
