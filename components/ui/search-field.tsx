import { SearchIcon } from "lucide-react";
import { cn } from "./class-names";
import { Input } from "./input";

/** A search input that filters the list below it. */
export function SearchField({
  label,
  value,
  onValueChange,
  className,
}: {
  label: string;
  value: string;
  onValueChange(value: string): void;
  className?: string;
}) {
  return (
    <div className={cn("relative sm:max-w-xs", className)}>
      <SearchIcon
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        className="pl-9"
      />
    </div>
  );
}
