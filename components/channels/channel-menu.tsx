"use client";

import { AudioWaveformIcon, ChevronDownIcon, ChevronUpIcon, PencilIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Channel } from "@/lib/contracts/console/channels";
import { ActionsMenu } from "../ui/actions-menu";
import { DropdownMenuSeparator } from "../ui/dropdown-menu";

export type ChannelAction = "edit" | "test" | "earlier" | "later" | "delete";

interface ChannelMenuProps {
  channel: Channel;
  onAction(action: ChannelAction): void;
}

/** The actions menu of a channel, loaded on the click that opens it. Built-in engines cannot be deleted. */
export function ChannelMenu({ channel, onAction }: ChannelMenuProps) {
  const t = useTranslations("channels.menu");
  return (
    <ActionsMenu<ChannelAction> name={channel.name} onAction={onAction}>
      {(item) => (
        <>
          {item("edit", t("edit"), PencilIcon)}
          {item("test", t("test"), AudioWaveformIcon, { disabled: channel.models.length === 0 })}
          {item("earlier", t("earlier"), ChevronUpIcon)}
          {item("later", t("later"), ChevronDownIcon)}
          {channel.embedded ? null : (
            <>
              <DropdownMenuSeparator />
              {item("delete", t("delete"), Trash2Icon, { isDanger: true })}
            </>
          )}
        </>
      )}
    </ActionsMenu>
  );
}
