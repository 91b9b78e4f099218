"use client";

import { CheckIcon } from "lucide-react";
import { Checkbox as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Checkbox({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      data-slot="checkbox"
      className={cn(
        "flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-panel transition-colors aria-invalid:border-bad disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-ink data-[state=checked]:bg-ink data-[state=checked]:text-on-ink pointer-coarse:size-5",
        className,
      )}
      {...props}
    >
      <Primitive.Indicator>
        <CheckIcon className="size-3.5" strokeWidth={3} />
      </Primitive.Indicator>
    </Primitive.Root>
  );
}
