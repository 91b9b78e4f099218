"use client";

import { XIcon } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import { type ComponentProps, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./button";
import { cn } from "./class-names";
import { focusContent, keepFocus } from "./keep-focus";

interface FocusHandlers {
  onOpenAutoFocus?(event: Event): void;
  onCloseAutoFocus?(event: Event): void;
}

/**
 * For each open dialog, newest last: its opener, which had the focus when it opened, then the openers of the dialogs
 * below it. A dialog that replaces another opens while no element has the focus, and gets the openers of that other
 * one.
 */
const openDialogs: (readonly Element[])[] = [];

/**
 * Returns the focus to the element that had it when a dialog opened. Radix does so only for dialogs with a trigger;
 * ours are opened by menus, URLs and keys. Spread the result on the dialog's content.
 */
export function useOpenerFocus({
  onOpenAutoFocus,
  onCloseAutoFocus,
}: FocusHandlers): Required<FocusHandlers> {
  const openers = useRef<readonly Element[]>([]);
  return {
    onOpenAutoFocus(event) {
      const { activeElement, body } = document;
      const below = openDialogs.at(-1) ?? [];
      openers.current = activeElement && activeElement !== body ? [activeElement, ...below] : below;
      openDialogs.push(openers.current);
      onOpenAutoFocus?.(event);
    },
    onCloseAutoFocus(event) {
      onCloseAutoFocus?.(event);
      // A dialog that replaces this one has opened by now, so this one may not be the last.
      const index = openDialogs.lastIndexOf(openers.current);
      if (index >= 0) openDialogs.splice(index, 1);
      // The opener may have been in a dialog that has closed since.
      const target = openers.current.find((one) => one.isConnected) ?? openers.current[0];
      if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
      event.preventDefault();
      if (!target.isConnected) return focusContent();
      target.focus();
      keepFocus(target);
    },
  };
}

export const Dialog = Primitive.Root;

/** Number of open dialogs. */
let locks = 0;

/** Stops the page from scrolling until the returned function is called; its width stays. */
function lockPage(): () => void {
  const { body, documentElement } = document;
  const content = document.getElementById("content");
  locks += 1;
  if (locks === 1) {
    body.style.marginRight = `${innerWidth - documentElement.clientWidth}px`;
    body.style.overflow = "hidden";
    // Radix sets `pointer-events: none` on the body, which every element would inherit; the scrim covers the page
    // anyway.
    content?.style.setProperty("pointer-events", "auto");
  }
  return () => {
    locks -= 1;
    if (locks > 0) return;
    body.style.marginRight = "";
    body.style.overflow = "";
    content?.style.removeProperty("pointer-events");
  };
}

/**
 * Covers the page behind an open dialog and stops it from scrolling. With Radix's own overlay the browser recomputes
 * the styles of every element of the page, twice: 45 ms with a list of 50 requests.
 */
export function Scrim(props: ComponentProps<"div">) {
  useEffect(lockPage, []);
  return (
    <div
      {...props}
      data-slot="scrim"
      className="pointer-events-auto fixed inset-0 z-40 animate-in bg-scrim fade-in-0 duration-150"
    />
  );
}

export const dialogClasses =
  "fixed top-1/2 left-1/2 z-50 grid max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg -translate-1/2 gap-5 overflow-y-auto rounded-md border bg-raised p-6 text-ink shadow-float outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:zoom-in-98 data-[state=open]:duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0 data-[state=closed]:duration-120";

/** Keeps a dialog open while a toast above it is used. */
export function ignoreToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest("[data-sonner-toaster]"))
    event.preventDefault();
}

/** Focuses the dialog itself when it opens, instead of its first control. */
export function focusSelf(event: Event): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.focus();
}

export function CloseButton({ className }: { className: string }) {
  const t = useTranslations("common");
  return (
    <Primitive.Close asChild>
      <Button variant="ghost" size="icon-sm" className={className} aria-label={t("close")}>
        <XIcon />
      </Button>
    </Primitive.Close>
  );
}

export function DialogContent({ className, children, ...props }: ComponentProps<typeof Primitive.Content>) {
  const focus = useOpenerFocus(props);
  return (
    <Primitive.Portal>
      <Scrim />
      <Primitive.Content
        data-slot="dialog"
        className={cn(dialogClasses, className)}
        onInteractOutside={ignoreToasts}
        {...props}
        {...focus}
      >
        {children}
        <CloseButton className="absolute top-4 right-4" />
      </Primitive.Content>
    </Primitive.Portal>
  );
}

export function DialogHeader(props: ComponentProps<"div">) {
  return <div data-slot="dialog-header" className="grid gap-1.5 pr-8" {...props} />;
}

export function DialogTitle({ className, ...props }: ComponentProps<typeof Primitive.Title>) {
  return (
    <Primitive.Title
      data-slot="dialog-title"
      className={cn("text-lg font-medium tracking-tight wrap-anywhere", className)}
      {...props}
    />
  );
}

export function DialogDescription({ className, ...props }: ComponentProps<typeof Primitive.Description>) {
  return (
    <Primitive.Description
      data-slot="dialog-description"
      className={cn("text-base text-ink-muted wrap-anywhere", className)}
      {...props}
    />
  );
}

export function DialogFooter(props: ComponentProps<"div">) {
  return (
    <div
      data-slot="dialog-footer"
      className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end"
      {...props}
    />
  );
}
