import { EllipsisIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Channel } from "@/lib/contracts/channels";
import { Button, type ButtonProps } from "../ui/button";

export type ChannelAction = "edit" | "test" | "earlier" | "later" | "delete";

export interface ChannelMenuProps {
  channel: Channel;
  onAction(action: ChannelAction): void;
}

/** What opens the menu; it looks the same before and after the menu has come. */
export function ChannelMenuTrigger({ name, ...props }: Omit<ButtonProps, "name"> & { name: string }) {
  const t = useTranslations("channels.menu");
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={t("label", { name })}>
      <EllipsisIcon />
    </Button>
  );
}
