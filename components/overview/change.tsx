import { ArrowDownIcon, ArrowUpIcon, MinusIcon } from "lucide-react";
import { cn } from "../ui/class-names";

const ICONS = { up: ArrowUpIcon, down: ArrowDownIcon, flat: MinusIcon } as const;
const TONES = { good: "text-good", bad: "text-bad", plain: "text-ink-muted" } as const;

/** Where a figure went since the time before: an arrow, and the same in words. */
export function Change({
  to,
  tone,
  children,
}: {
  to: keyof typeof ICONS;
  tone: keyof typeof TONES;
  children: string;
}) {
  const Icon = ICONS[to];
  return (
    <span className={cn("flex items-start gap-1 text-xs", TONES[tone])}>
      <Icon aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
      <span>{children}</span>
    </span>
  );
}
