"use client";

import { Slider as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** One thumb; name it with `aria-label` or `aria-labelledby`, and give `aria-valuetext` where the number has a unit. */
export function Slider({
  className,
  "aria-label": label,
  "aria-labelledby": labelledBy,
  "aria-valuetext": valueText,
  ...props
}: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      data-slot="slider"
      className={cn(
        "relative flex h-6 w-full touch-none select-none items-center data-disabled:opacity-50",
        className,
      )}
      {...props}
    >
      <Primitive.Track className="relative h-1 w-full grow overflow-hidden rounded-full bg-line-strong/40">
        <Primitive.Range className="absolute h-full bg-ink" />
      </Primitive.Track>
      <Primitive.Thumb
        aria-label={label}
        aria-labelledby={labelledBy}
        aria-valuetext={valueText}
        className="block size-4 rounded-full border-2 border-ink bg-raised transition-transform active:scale-110 pointer-coarse:size-6"
      />
    </Primitive.Root>
  );
}
