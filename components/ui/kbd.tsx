import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Kbd({ className, ...props }: ComponentProps<"kbd">) {
  return (
    <kbd
      data-slot="kbd"
      className={cn(
        "inline-flex h-5 min-w-5 items-center justify-center rounded-sm border bg-sunken px-1 text-xs text-ink-muted",
        className,
      )}
      {...props}
    />
  );
}
