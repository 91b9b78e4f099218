"use client";

import { ScrollArea as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function ScrollArea({ className, children, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root data-slot="scroll-area" className={cn("relative overflow-hidden", className)} {...props}>
      {/* A box that scrolls takes the keyboard's focus, so that its content can be read without a mouse. */}
      <Primitive.Viewport tabIndex={0} className="size-full rounded-[inherit]">
        {children}
      </Primitive.Viewport>
      <Primitive.Scrollbar orientation="vertical" className="flex w-2 touch-none select-none p-px">
        <Primitive.Thumb className="flex-1 rounded-full bg-line-strong/60" />
      </Primitive.Scrollbar>
      <Primitive.Scrollbar orientation="horizontal" className="flex h-2 touch-none select-none flex-col p-px">
        <Primitive.Thumb className="flex-1 rounded-full bg-line-strong/60" />
      </Primitive.Scrollbar>
    </Primitive.Root>
  );
}
