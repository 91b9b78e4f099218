import { ChevronDownIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { useInputValue } from "./use-input-value";

export const fieldClasses =
  "w-full rounded-md border border-line-strong/60 bg-panel px-3 text-base text-ink transition-colors placeholder:text-ink-faint hover:border-line-strong focus-visible:border-ink focus-visible:outline-1 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-faint read-only:bg-sunken aria-invalid:border-bad aria-invalid:focus-visible:outline-bad";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return (
    <input data-slot="input" className={cn(fieldClasses, "h-9 pointer-coarse:h-11", className)} {...props} />
  );
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return (
    <textarea
      data-slot="textarea"
      className={cn(fieldClasses, "field-sizing-content min-h-20 py-2", className)}
      {...props}
    />
  );
}

/** The browser's own select: no JavaScript, and the system's picker on phones. */
export function NativeSelect({ className, ...props }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-block w-full", className)}>
      <select
        data-slot="native-select"
        // CSS `:read-only` matches every select.
        className={cn(
          fieldClasses,
          "h-9 appearance-none read-only:bg-panel disabled:bg-sunken pr-9 pointer-coarse:h-11",
        )}
        {...props}
      />
      <ChevronDownIcon
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-faint"
      />
    </span>
  );
}

/** A select whose `value` follows a moment later, such as a query parameter. `onValueChange`: see `useInputValue`. */
export function FilterSelect({
  value,
  onValueChange,
  ...props
}: Omit<ComponentProps<"select">, "value" | "onChange"> & {
  value: string;
  onValueChange(value: string): unknown;
}) {
  const { shown, change } = useInputValue(value, onValueChange);
  return <NativeSelect {...props} value={shown} onChange={({ target }) => change(target.value)} />;
}

/** Options of a select, as value and label. A `selected` value that is not among them, as from a link, is offered too. */
export function SelectOptions<Value extends string | number>({
  of: options,
  selected,
}: {
  of: readonly (readonly [value: Value, label: string | number])[];
  selected?: Value;
}) {
  const isKnown = selected === undefined || options.some(([value]) => value === selected);
  return (
    <>
      {isKnown ? null : <option value={selected}>{selected}</option>}
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}

/** Needs `htmlFor`; forms use `Field`, which sets it. */
export function Label({ className, ...props }: ComponentProps<"label">) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the caller passes htmlFor
    <label
      data-slot="label"
      className={cn("inline-flex items-center gap-2 text-sm font-medium wrap-anywhere text-ink", className)}
      {...props}
    />
  );
}
