import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

const badgeVariants = cva(
  "inline-flex items-center gap-1 whitespace-nowrap rounded-sm px-1.5 py-0.5 text-xs font-medium forced-colors:border [&_svg]:size-3",
  {
    variants: {
      tone: {
        neutral: "bg-sunken text-ink-muted",
        outline: "border text-ink-muted",
        signal: "bg-signal-soft text-signal-ink",
        good: "bg-good-soft text-good",
        warn: "bg-warn-soft text-warn",
        bad: "bg-bad-soft text-bad",
        info: "bg-info-soft text-info",
      },
    },
    defaultVariants: { tone: "neutral" },
  },
);

export function Badge({
  className,
  tone,
  ...props
}: ComponentProps<"span"> & VariantProps<typeof badgeVariants>) {
  return <span data-slot="badge" className={cn(badgeVariants({ tone }), className)} {...props} />;
}

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
