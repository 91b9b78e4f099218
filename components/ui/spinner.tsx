import { cn } from "./class-names";

/** Decorative loading indicator; the text beside it says what is loading. */
export function Spinner({ className }: { className?: string }) {
  return (
    <span
      data-slot="spinner"
      aria-hidden="true"
      className={cn(
        "inline-block size-4 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent motion-reduce:animate-pulse",
        className,
      )}
    />
  );
}
