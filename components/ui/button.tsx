"use client";

import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from "react";
import { cn } from "./class-names";
import { Spinner } from "./progress";

export const buttonVariants = cva(
  "relative inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md text-base font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "bg-ink text-on-ink hover:bg-ink/85 forced-colors:border",
        /** For the action that plays audio or sends a request. */
        signal: "bg-signal text-on-signal hover:bg-signal/85 forced-colors:border",
        outline: "border border-line-strong/60 bg-panel text-ink hover:bg-hover",
        ghost: "text-ink-muted hover:bg-hover hover:text-ink",
        danger: "bg-bad text-on-bad hover:bg-bad/85 forced-colors:border",
        link: "rounded-sm text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink",
      },
      size: {
        sm: "h-8 px-3 text-sm pointer-coarse:h-10",
        md: "h-9 px-4 pointer-coarse:h-11",
        lg: "h-11 px-5",
        icon: "size-9 pointer-coarse:size-11",
        "icon-sm": "size-8 pointer-coarse:size-10",
        inline: "h-auto p-0",
      },
    },
    defaultVariants: { variant: "primary", size: "md" },
  },
);

export interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof buttonVariants> {
  /** Renders the child (a link) with the button's style. */
  asChild?: boolean;
  /** Shows a spinner instead of the label and disables the button; the width does not change. */
  isBusy?: boolean;
}

export function Button({ className, variant, size, asChild, isBusy, children, ...props }: ButtonProps) {
  const rest = useFocusWhileDisabled({ ...props, disabled: props.disabled || isBusy });
  const classes = cn(buttonVariants({ variant, size }), className);
  if (asChild) {
    return (
      <Slot.Root data-slot="button" className={classes} {...props}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button data-slot="button" type="button" className={classes} {...rest} aria-busy={isBusy || undefined}>
      {isBusy ? (
        <>
          {/* Invisible, but still the accessible name. */}
          <span className="inline-flex items-center gap-2 opacity-0">{children}</span>
          <span className="absolute inset-0 flex items-center justify-center">
            <Spinner />
          </span>
        </>
      ) : (
        children
      )}
    </button>
  );
}

/**
 * The props of a button that keeps the focus when it is disabled, while it is busy for example: browsers take the focus
 * off a disabled element, and the keyboard then starts at the top of the page. Until the focus leaves, the button is
 * disabled by `aria-disabled` alone and ignores clicks.
 */
function useFocusWhileDisabled({ disabled, onClick, onFocus, onBlur, ...props }: ComponentProps<"button">) {
  const [isFocused, setFocused] = useState(false);
  const isIgnored = disabled && isFocused;
  return {
    ...props,
    disabled: disabled && !isFocused,
    "aria-disabled": isIgnored || props["aria-disabled"],
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      setFocused(true);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      // When the window loses the focus, the button stays the active element and gets the focus back.
      if (document.activeElement !== event.currentTarget) setFocused(false);
      onBlur?.(event);
    },
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      // Also keeps a submit button from submitting.
      if (isIgnored) event.preventDefault();
      else onClick?.(event);
    },
  };
}
