import { EllipsisIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/keys";
import { Button, type ButtonProps } from "../ui/button";

export type KeyAction = "edit" | "rotate" | "disable" | "enable" | "delete";

export interface KeyMenuProps {
  apiKey: ApiKey;
  isOwn: boolean;
  /** Its owner's role stands in nobody's way. */
  mayChange: boolean;
  onAction(action: KeyAction): void;
}

/** What opens the menu; it looks the same before and after the menu has come. */
export function KeyMenuTrigger({ name, ...props }: Omit<ButtonProps, "name"> & { name: string }) {
  const t = useTranslations("keys.menu");
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={t("label", { name })}>
      <EllipsisIcon />
    </Button>
  );
}
