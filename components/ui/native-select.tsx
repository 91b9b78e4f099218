import { ChevronDownIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { fieldClasses } from "./input";

/** The browser's own select: no JavaScript, and the system's picker on phones. */
export function NativeSelect({ className, ...props }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-block w-full", className)}>
      <select
        data-slot="native-select"
        // CSS `:read-only` matches every select.
        className={cn(
          fieldClasses,
          "h-9 appearance-none read-only:bg-panel disabled:bg-sunken pr-9 pointer-coarse:h-11",
        )}
        {...props}
      />
      <ChevronDownIcon
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-faint"
      />
    </span>
  );
}
