import { cn } from "./class-names";

const TONES = {
  off: "border border-line-strong",
  signal: "bg-signal",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
} as const;

/** A coloured status dot. It is decorative: text beside it must carry the same meaning. */
export function StatusDot({ tone, className }: { tone: keyof typeof TONES; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-2 shrink-0 rounded-full", TONES[tone], className)}
    />
  );
}
