"use client";

import { memo } from "react";
import type { Focus, FocusStore } from "./focus-store";

/** One row of a ranking: the text above a bar that shows its similarity. */
export const NeighbourRow = memo(function NeighbourRow({
  similarity,
  number,
  text,
  focus,
  store,
}: {
  similarity: number;
  number: string;
  text: string;
  focus: Focus;
  store: FocusStore;
}) {
  return (
    <li
      data-similarity={similarity.toFixed(3)}
      onPointerEnter={() => store.hover(focus)}
      onPointerLeave={() => store.hover(null)}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-sm px-2 py-1.5 hover:bg-hover"
    >
      <span className="tabular min-w-5 text-xs text-ink-faint">{number}</span>
      <span title={text} className="truncate text-sm">
        {text}
      </span>
      <span className="tabular text-sm">{similarity.toFixed(3)}</span>
      <span
        aria-hidden="true"
        className="col-span-2 col-start-2 mt-1 h-1 overflow-hidden rounded-full bg-hover"
      >
        <span
          className="block h-full rounded-full bg-heat-mid"
          style={{ width: `${Math.max(0, Math.min(1, similarity)) * 100}%` }}
        />
      </span>
    </li>
  );
});
