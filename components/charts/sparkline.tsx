import { cn } from "../ui/class-names";
import { type ChartColour, colourOf } from "./series";

/**
 * A small line without axes, as wide and high as its box (default 24 px high). It is decoration: the figure beside it
 * says what matters. `values`: equal steps of time, oldest first; null breaks the line.
 */
export function Sparkline({
  values,
  colour = "chart-1",
  className,
}: {
  values: readonly (number | null)[];
  colour?: ChartColour;
  className?: string;
}) {
  const most = Math.max(...values.map((value) => value ?? 0), 0) || 1;
  const last = Math.max(1, values.length - 1);
  let path = "";
  let isDown = false;
  for (const [index, value] of values.entries()) {
    if (value !== null)
      path += `${isDown ? "L" : "M"}${(index / last) * 100} ${(23 - (value / most) * 21).toFixed(2)}`;
    isDown = value !== null;
  }
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      className={cn("h-6 w-full overflow-visible", className)}
    >
      <path
        d={path}
        fill="none"
        stroke={colourOf({ colour }, 0)}
        strokeWidth={1.5}
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
