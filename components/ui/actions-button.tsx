"use client";

import type { ComponentType } from "react";
import { ActionsTrigger } from "./actions-trigger";
import { useOnDemand } from "./use-on-demand";

/** The menu of a row, fetched when it is first opened. `load` must not change between renders. */
export function ActionsButton<Props extends object>({
  label,
  load,
  menu,
}: {
  label: string;
  load(): Promise<ComponentType<Props>>;
  menu: Props;
}) {
  const { Loaded, loadNow, preload } = useOnDemand(load);
  if (Loaded) return <Loaded {...menu} />;
  return (
    <ActionsTrigger
      label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={loadNow}
    />
  );
}
