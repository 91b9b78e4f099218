"use client";

import { BanIcon, CircleCheckIcon, PencilIcon, RefreshCwIcon, Trash2Icon } from "lucide-react";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { type KeyAction, type KeyMenuProps, KeyMenuTrigger } from "./key-menu-trigger";

/** What one may do with a key, loaded by the press that opens it; only its owner rotates it, since that shows the new one. */
export function KeyMenu({ apiKey, isOwn, mayChange, onAction }: KeyMenuProps) {
  const t = useTranslations("keys.menu");
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<KeyAction | null>(null);
  const choose = (action: KeyAction) => () => {
    chosen.current = action;
  };
  // The dialog opens once the focus is back on the trigger: it takes it from there and gives it back there.
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
        <KeyMenuTrigger ref={trigger} name={apiKey.name} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose} className="max-w-64">
        {mayChange ? (
          <>
            <DropdownMenuItem onSelect={choose("edit")}>
              <PencilIcon aria-hidden="true" />
              {t("edit")}
            </DropdownMenuItem>
            {isOwn ? (
              <DropdownMenuItem onSelect={choose("rotate")}>
                <RefreshCwIcon aria-hidden="true" />
                {t("rotate")}
              </DropdownMenuItem>
            ) : null}
            {apiKey.enabled ? (
              <DropdownMenuItem onSelect={choose("disable")}>
                <BanIcon aria-hidden="true" />
                {t("disable")}
              </DropdownMenuItem>
            ) : (
              <DropdownMenuItem onSelect={choose("enable")}>
                <CircleCheckIcon aria-hidden="true" />
                {t("enable")}
              </DropdownMenuItem>
            )}
            <DropdownMenuSeparator />
            <DropdownMenuItem isDanger onSelect={choose("delete")}>
              <Trash2Icon aria-hidden="true" />
              {t("delete")}
            </DropdownMenuItem>
          </>
        ) : (
          <DropdownMenuItem disabled>{t("higher")}</DropdownMenuItem>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
