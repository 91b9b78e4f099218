"use client";

import { EllipsisIcon } from "lucide-react";
import type { ComponentType } from "react";
import { Button, type ButtonProps } from "./button";
import { useOnDemand } from "./use-on-demand";

/** The "…" button of a row; the same before and after the menu has loaded. */
export function ActionsTrigger({ label, ...props }: ButtonProps & { label: string }) {
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={label}>
      <EllipsisIcon />
    </Button>
  );
}

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
