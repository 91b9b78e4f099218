"use client";

import { Switch as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Switch({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      data-slot="switch"
      className={cn(
        "inline-flex h-5 w-9 align-middle shrink-0 items-center rounded-full border border-line-strong bg-sunken p-px transition-colors disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-ink data-[state=checked]:bg-ink",
        className,
      )}
      {...props}
    >
      <Primitive.Thumb className="block size-4 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-ink" />
    </Primitive.Root>
  );
}
