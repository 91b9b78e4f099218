import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const fieldClasses =
  "w-full rounded-md border border-line-strong/60 bg-panel px-3 text-base text-ink transition-colors placeholder:text-ink-faint hover:border-line-strong focus-visible:border-ink focus-visible:outline-1 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-faint read-only:bg-sunken aria-invalid:border-bad aria-invalid:focus-visible:outline-bad";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return (
    <input data-slot="input" className={cn(fieldClasses, "h-9 pointer-coarse:h-11", className)} {...props} />
  );
}
