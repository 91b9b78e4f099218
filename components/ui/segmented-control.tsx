"use client";

import { type ReactNode, useId } from "react";
import { cn } from "./class-names";

interface Segment<Value extends string> {
  value: Value;
  label: ReactNode;
  /** Accessible name when the label is only an icon. */
  name?: string;
}

/** A row of native radio buttons for a few short choices; arrow keys move between them. */
export function SegmentedControl<Value extends string>({
  label,
  value,
  onValueChange,
  segments,
  disabled,
  className,
}: {
  label: string;
  value: Value;
  onValueChange(value: Value): void;
  segments: readonly Segment<Value>[];
  disabled?: boolean;
  className?: string;
}) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      aria-disabled={disabled || undefined}
      className={cn("inline-flex items-center gap-0.5 rounded-md border bg-sunken p-0.5", className)}
    >
      {segments.map((segment) => (
        <label
          key={segment.value}
          className="relative inline-flex h-7 flex-1 items-center justify-center gap-1.5 whitespace-nowrap rounded-sm px-3 text-sm text-ink-muted transition-colors hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:ring-1 has-checked:ring-line has-disabled:opacity-50 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 pointer-coarse:h-9 [&_svg]:size-4"
        >
          <input
            type="radio"
            name={name}
            value={segment.value}
            aria-label={segment.name}
            checked={segment.value === value}
            disabled={disabled}
            onChange={() => onValueChange(segment.value)}
            className="absolute inset-0 cursor-pointer appearance-none opacity-0 disabled:cursor-not-allowed"
          />
          {segment.label}
        </label>
      ))}
    </div>
  );
}
