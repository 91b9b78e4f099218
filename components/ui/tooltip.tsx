"use client";

import { Tooltip as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Words for what shows only a sign. The trigger must have a name of its own: tooltips do not open on touch. */
export function Tooltip({
  text,
  children,
  side = "top",
  className,
}: {
  text: ReactNode;
  children: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}) {
  return (
    <Primitive.Provider delayDuration={300} skipDelayDuration={100}>
      <Primitive.Root>
        <Primitive.Trigger asChild>{children}</Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            data-slot="tooltip"
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className={cn(
              "z-50 max-w-64 rounded-sm bg-ink px-2 py-1 text-xs text-on-ink animate-in fade-in-0 duration-120",
              className,
            )}
          >
            {text}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  );
}
