"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { cn } from "../ui/class-names";

const LENGTH = 6;

/**
 * A field for a 6-digit code, drawn as six boxes over one <input>, so that paste, code autofill, keyboard and screen
 * readers work as in any field. Calls `onComplete` each time the sixth digit is entered.
 */
export function CodeInput({
  id,
  value,
  onValueChange,
  onComplete,
  disabled,
  readOnly,
  autoFocus,
  ...aria
}: {
  id?: string;
  value: string;
  onValueChange(value: string): void;
  onComplete?(value: string): void;
  /** Refuses input but keeps the focus; the HTML attribute `disabled` would remove the focus. */
  disabled?: boolean;
  /** While the code is checked. */
  readOnly?: boolean;
  autoFocus?: boolean;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const change = (text: string) => {
    const digits = text.replace(/\D/g, "").slice(0, LENGTH);
    if (digits === value) return;
    onValueChange(digits);
    if (digits.length === LENGTH) onComplete?.(digits);
  };
  // React does not report what was typed before hydration.
  const readTyped = useEffectEvent(() => change(field.current?.value ?? ""));
  useEffect(() => readTyped(), []);
  return (
    <span className="group relative block w-[min(100%,18rem)] sm:w-78" data-slot="code-input">
      <input
        ref={field}
        id={id}
        {...aria}
        value={value}
        aria-disabled={disabled}
        readOnly={disabled || readOnly}
        // The only field of the pages that use it.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus={autoFocus}
        onChange={(event) => change(event.target.value)}
        onSelect={() => {
          // Keeps the caret after the last digit: the boxes cannot show another position.
          const end = field.current?.value.length ?? 0;
          if (field.current?.selectionStart !== 0 || field.current.selectionEnd !== end) {
            field.current?.setSelectionRange(end, end);
          }
        }}
        inputMode="numeric"
        pattern="[0-9 ]*"
        autoComplete="one-time-code"
        enterKeyHint="done"
        className="absolute inset-0 z-10 size-full cursor-text bg-transparent text-transparent caret-transparent opacity-0 outline-none aria-disabled:cursor-not-allowed"
      />
      <span aria-hidden="true" className="flex gap-2">
        {Array.from({ length: LENGTH }, (_, index) => (
          <span
            // The boxes never change order.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={index}
            className={cn(
              "flex h-12 min-w-0 flex-1 items-center justify-center rounded-md border border-line-strong/60 bg-panel font-mono text-xl tabular transition-colors",
              index === 3 && "ml-2",
              aria["aria-invalid"] && "border-bad",
              disabled && "bg-sunken text-ink-faint",
              !disabled &&
                index === Math.min(value.length, LENGTH - 1) &&
                "group-focus-within:border-ink group-focus-within:ring-1 group-focus-within:ring-ink",
            )}
          >
            {value[index] ?? ""}
          </span>
        ))}
      </span>
    </span>
  );
}
