import { cn } from "../ui/class-names";

const STEP = 4;
const HEIGHT = 20;

/** Small bars without axes, next to their total as text. Every value above 0 is at least 1 px high. */
export function Sparkline({ values, className }: { values: readonly number[]; className?: string }) {
  const max = Math.max(...values, 0);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${values.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cn("h-5 w-24 shrink-0 fill-ink-faint", className)}
    >
      <rect x={0} y={HEIGHT - 0.5} width="100%" height={0.5} className="fill-line-strong" />
      {values.map((value, index) => {
        const height = value > 0 ? Math.max(1, (value / max) * HEIGHT) : 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar's position is its day
          <rect key={index} x={index * STEP} y={HEIGHT - height} width={STEP - 1} height={height} />
        );
      })}
    </svg>
  );
}
