"use client";

import { RadioGroup as Primitive } from "radix-ui";
import { type ReactNode, useId } from "react";

interface RadioCard<Value extends string> {
  value: Value;
  title: ReactNode;
  description?: ReactNode;
}

/** A radio group of cards, each with a title and a description. */
export function RadioCards<Value extends string>({
  label,
  value,
  onValueChange,
  cards,
}: {
  label: string;
  value: Value;
  onValueChange(value: Value): void;
  cards: readonly RadioCard<Value>[];
}) {
  const id = useId();
  return (
    <Primitive.Root
      aria-label={label}
      value={value}
      // Type assertion: Radix passes one of the values below, typed as string.
      onValueChange={(next) => onValueChange(next as Value)}
      className="grid gap-2"
    >
      {cards.map((card) => (
        <Primitive.Item
          key={card.value}
          value={card.value}
          aria-labelledby={`${id}-${card.value}`}
          aria-describedby={card.description ? `${id}-${card.value}-description` : undefined}
          className="group flex items-start gap-3 rounded-md border bg-panel p-4 text-left transition-colors hover:border-line-strong data-[state=checked]:border-ink data-[state=checked]:bg-sunken"
        >
          <span
            aria-hidden="true"
            className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-line-strong group-data-[state=checked]:border-ink"
          >
            <Primitive.Indicator className="size-2 rounded-full bg-ink" />
          </span>
          <span className="grid gap-0.5">
            <span id={`${id}-${card.value}`} className="font-medium">
              {card.title}
            </span>
            {card.description ? (
              <span id={`${id}-${card.value}-description`} className="text-sm text-ink-muted">
                {card.description}
              </span>
            ) : null}
          </span>
        </Primitive.Item>
      ))}
    </Primitive.Root>
  );
}
