"use client";

import { AlertDialog as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { buttonVariants } from "./button";
import { cn } from "./class-names";
import { dialogClasses, Scrim, useOpenerFocus } from "./dialog";

export const AlertDialog = Primitive.Root;
export const AlertDialogTrigger = Primitive.Trigger;
export { DialogFooter as AlertDialogFooter } from "./dialog";

export function AlertDialogContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  const focus = useOpenerFocus(props);
  return (
    <Primitive.Portal>
      <Scrim />
      <Primitive.Content
        data-slot="alert-dialog"
        className={cn(dialogClasses, className)}
        {...props}
        {...focus}
      />
    </Primitive.Portal>
  );
}

export function AlertDialogTitle(props: ComponentProps<typeof Primitive.Title>) {
  return (
    <Primitive.Title
      data-slot="alert-dialog-title"
      className="text-lg font-medium tracking-tight wrap-anywhere"
      {...props}
    />
  );
}

export function AlertDialogDescription(props: ComponentProps<typeof Primitive.Description>) {
  return (
    <Primitive.Description
      data-slot="alert-dialog-description"
      className="text-base text-ink-muted wrap-anywhere"
      {...props}
    />
  );
}

export function AlertDialogCancel(props: ComponentProps<typeof Primitive.Cancel>) {
  return <Primitive.Cancel className={buttonVariants({ variant: "outline" })} {...props} />;
}

export function AlertDialogAction(props: ComponentProps<typeof Primitive.Action>) {
  return <Primitive.Action className={buttonVariants({ variant: "danger" })} {...props} />;
}
