"use client";

import type { ComponentType } from "react";
import { ActionsTrigger } from "./actions-trigger";
import { useOnDemand } from "./use-on-demand";

/** The button of a row's actions menu; `load` imports the menu's code on first use and must not change between renders. */
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
