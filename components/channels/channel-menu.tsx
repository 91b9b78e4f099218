"use client";

import { AudioWaveformIcon, ChevronDownIcon, ChevronUpIcon, PencilIcon, Trash2Icon } from "lucide-react";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { type ChannelAction, type ChannelMenuProps, ChannelMenuTrigger } from "./channel-menu-trigger";

/** What one may do with a channel, loaded by the press that opens it; engines built in stay. */
export function ChannelMenu({ channel, onAction }: ChannelMenuProps) {
  const t = useTranslations("channels.menu");
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<ChannelAction | null>(null);
  const choose = (action: ChannelAction) => () => {
    chosen.current = action;
  };
  // A dialog opens once the focus is back on the trigger: it takes it from there and gives it back there.
  const actOnClose = (event: Event) => {
    const action = chosen.current;
    if (!action) return;
    event.preventDefault();
    chosen.current = null;
    trigger.current?.focus();
    onAction(action);
  };
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ChannelMenuTrigger ref={trigger} name={channel.name} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose}>
        <DropdownMenuItem onSelect={choose("edit")}>
          <PencilIcon aria-hidden="true" />
          {t("edit")}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={choose("test")} disabled={channel.models.length === 0}>
          <AudioWaveformIcon aria-hidden="true" />
          {t("test")}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={choose("earlier")}>
          <ChevronUpIcon aria-hidden="true" />
          {t("earlier")}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={choose("later")}>
          <ChevronDownIcon aria-hidden="true" />
          {t("later")}
        </DropdownMenuItem>
        {channel.embedded ? null : (
          <>
            <DropdownMenuSeparator />
            <DropdownMenuItem isDanger onSelect={choose("delete")}>
              <Trash2Icon aria-hidden="true" />
              {t("delete")}
            </DropdownMenuItem>
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
