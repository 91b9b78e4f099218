import { cn } from "./class-names";

const TONES = {
  ink: "bg-ink",
  signal: "bg-signal",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
} as const;

/** A progress bar: `value` of `max`, indeterminate without a value. */
export function Progress({
  value,
  max = 100,
  label,
  tone = "ink",
}: {
  value?: number;
  max?: number;
  label: string;
  tone?: keyof typeof TONES;
}) {
  const share = value === undefined || max <= 0 ? null : Math.min(1, Math.max(0, value / max));
  return (
    <div
      data-slot="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      className="h-1.5 w-full overflow-hidden rounded-full bg-hover"
    >
      <div
        className={cn(
          "h-full rounded-full transition-[width] duration-150",
          TONES[tone],
          share === null && "w-1/3 animate-pulse",
        )}
        style={share === null ? undefined : { width: `${share * 100}%` }}
      />
    </div>
  );
}

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
