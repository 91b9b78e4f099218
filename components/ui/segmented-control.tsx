"use client";

import { RadioGroup as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface Segment<Value extends string> {
  value: Value;
  label: ReactNode;
  /** Name where the label is only a sign. */
  name?: string;
}

/** One of a few short choices, side by side; arrow keys move. */
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
  return (
    <Primitive.Root
      aria-label={label}
      value={value}
      disabled={disabled}
      orientation="horizontal"
      // Radix hands back one of the values below.
      onValueChange={(next) => onValueChange(next as Value)}
      className={cn("inline-flex gap-0.5 rounded-md border bg-sunken p-0.5", className)}
    >
      {segments.map((segment) => (
        <Primitive.Item
          key={segment.value}
          value={segment.value}
          aria-label={segment.name}
          className="inline-flex h-7 flex-1 items-center justify-center gap-1.5 whitespace-nowrap rounded-sm px-3 text-sm text-ink-muted transition-colors hover:text-ink disabled:opacity-50 data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:ring-1 data-[state=checked]:ring-line pointer-coarse:h-9 [&_svg]:size-4"
        >
          {segment.label}
        </Primitive.Item>
      ))}
    </Primitive.Root>
  );
}
