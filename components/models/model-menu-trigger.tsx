import { EllipsisIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Model } from "@/lib/contracts/public-models";
import { Button, type ButtonProps } from "../ui/button";

export type ModelAction = "route" | "edit" | "delete";

export interface ModelMenuProps {
  model: Model;
  onAction(action: ModelAction): void;
}

/** What opens the menu; it looks the same before and after the menu has come. */
export function ModelMenuTrigger({ name, ...props }: Omit<ButtonProps, "name"> & { name: string }) {
  const t = useTranslations("models.menu");
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={t("label", { name })}>
      <EllipsisIcon />
    </Button>
  );
}
