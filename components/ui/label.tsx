import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** Needs `htmlFor`; forms use `Field`, which sets it. */
export function Label({ className, ...props }: ComponentProps<"label">) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the caller passes htmlFor
    <label
      data-slot="label"
      className={cn("inline-flex items-center gap-2 text-sm font-medium text-ink", className)}
      {...props}
    />
  );
}
