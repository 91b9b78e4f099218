"use client";

import { EllipsisIcon } from "lucide-react";
import type { ComponentType } from "react";
import { useTranslations } from "use-intl";
import { Button, type ButtonProps } from "./button";
import { useOnDemand } from "./use-on-demand";

/** The "…" button of the row of `name`; the same before and after the menu has loaded. */
export function ActionsTrigger({ name, ...props }: ButtonProps & { name: string }) {
  const t = useTranslations("common");
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={t("actionsFor", { name })}>
      <EllipsisIcon />
    </Button>
  );
}

/** The button of a row's actions menu; `load` imports the menu's code on first use and must not change between renders. */
export function ActionsButton<Props extends object>({
  name,
  load,
  menu,
}: {
  name: string;
  load(): Promise<ComponentType<Props>>;
  menu: Props;
}) {
  const { Loaded, trigger } = useOnDemand(load);
  if (Loaded) return <Loaded {...menu} />;
  return <ActionsTrigger name={name} aria-haspopup="menu" {...trigger} />;
}
