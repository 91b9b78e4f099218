import Link from "next/link";
import type { ReactNode } from "react";

export interface Bar {
  key: string;
  label: ReactNode;
  /** Length of the bar, 0 or more. */
  value: number;
  /** Failed part of `value`; drawn in red at the start of the bar. */
  bad?: number;
  /** The formatted value, at the end of the row. */
  text: ReactNode;
  /** A second figure before the value. */
  detail?: ReactNode;
  /** Makes the row a link to this URL. */
  href?: string;
}

/**
 * A breakdown: one row per item with its name, value and a bar relative to the largest value, in the given order.
 * Long names are truncated, values never are. The caller renders the empty state.
 */
export function BarList({ bars }: { bars: readonly Bar[] }) {
  const max = Math.max(...bars.map((bar) => bar.value), 0) || 1;
  return (
    <ol className="grid grid-cols-1 gap-0.5">
      {bars.map((bar) => (
        <li key={bar.key}>
          {bar.href ? (
            <Link
              prefetch={false}
              href={bar.href}
              className="-mx-2 block rounded-sm px-2 py-1.5 transition-colors hover:bg-hover pointer-coarse:py-2.5"
            >
              <Row bar={bar} max={max} />
            </Link>
          ) : (
            <div className="py-1.5">
              <Row bar={bar} max={max} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Row({ bar, max }: { bar: Bar; max: number }) {
  const share = (value: number) => `${Math.min(100, (value / max) * 100)}%`;
  return (
    <span className="grid grid-cols-1 gap-1.5">
      <span className="flex items-baseline justify-between gap-4">
        <span className="min-w-0 truncate" title={typeof bar.label === "string" ? bar.label : undefined}>
          {bar.label}
        </span>
        <span className="tabular shrink-0">
          {bar.detail ? <span className="mr-3 text-sm text-ink-muted">{bar.detail}</span> : null}
          {bar.text}
        </span>
      </span>
      <span aria-hidden="true" className="flex h-1 overflow-hidden rounded-full bg-sunken">
        <span className="bg-bad" style={{ width: share(bar.bad ?? 0) }} />
        <span className="bg-chart-1" style={{ width: share(bar.value - (bar.bad ?? 0)) }} />
      </span>
    </span>
  );
}
