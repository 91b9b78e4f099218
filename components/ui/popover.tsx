"use client";

import { Popover as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { floatClasses } from "./dropdown-menu";

export const Popover = Primitive.Root;
export const PopoverTrigger = Primitive.Trigger;

export function PopoverContent({
  className,
  align = "start",
  ...props
}: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal>
      <Primitive.Content
        data-slot="popover"
        sideOffset={4}
        align={align}
        collisionPadding={8}
        className={cn(
          floatClasses,
          "max-h-(--radix-popover-content-available-height) w-72 overflow-y-auto p-4",
          className,
        )}
        {...props}
      />
    </Primitive.Portal>
  );
}
