import { SearchIcon } from "lucide-react";
import { cn } from "./class-names";
import { Input } from "./input";
import { useInputValue } from "./use-input-value";

/** A search input that filters the list below it. `id`: of an input that has a label of its own. */
export function SearchField({
  id,
  label,
  value,
  onValueChange,
  className,
}: {
  id?: string;
  label: string;
  value: string;
  onValueChange(value: string): void;
  className?: string;
}) {
  const { shown, change } = useInputValue(value, onValueChange);
  return (
    <div className={cn("relative sm:max-w-xs", className)}>
      <SearchIcon
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
      />
      <Input
        id={id}
        type="search"
        aria-label={id === undefined ? label : undefined}
        placeholder={label}
        value={shown}
        onChange={({ target }) => change(target.value)}
        className="pl-9"
      />
    </div>
  );
}
