"use client";

import { Dialog as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { CloseButton, ignoreToasts, Scrim, useOpenerFocus } from "./dialog";

export const Sheet = Primitive.Root;

const SIDES = {
  left: "inset-y-0 left-0 w-72 border-r data-[state=open]:slide-in-from-left",
  right: "inset-y-0 right-0 w-full max-w-md border-l data-[state=open]:slide-in-from-right",
} as const;

/** A dialog at an edge of the window. `title` is its accessible name. */
export function SheetContent({
  side = "right",
  title,
  className,
  children,
  ...props
}: Omit<ComponentProps<typeof Primitive.Content>, "title"> & { side?: keyof typeof SIDES; title: string }) {
  const focus = useOpenerFocus(props);
  return (
    <Primitive.Portal>
      <Scrim />
      <Primitive.Content
        data-slot="sheet"
        aria-describedby={undefined}
        className={cn(
          "fixed z-50 max-w-[calc(100vw-2rem)] overflow-y-auto bg-raised text-ink shadow-float outline-none data-[state=open]:animate-in data-[state=open]:duration-180",
          SIDES[side],
          className,
        )}
        onInteractOutside={ignoreToasts}
        {...props}
        {...focus}
      >
        <Primitive.Title className="sr-only">{title}</Primitive.Title>
        {children}
        <CloseButton className="absolute top-3 right-3" />
      </Primitive.Content>
    </Primitive.Portal>
  );
}
