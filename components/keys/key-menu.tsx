"use client";

import { BanIcon, CircleCheckIcon, PencilIcon, RefreshCwIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { type KeyMenuProps, KeyMenuTrigger } from "./key-menu-trigger";

/** What one may do with a key, loaded by the press that opens it; only its owner rotates it, since that shows the new one. */
export function KeyMenu({ apiKey, isOwn, onAction }: KeyMenuProps) {
  const t = useTranslations("keys.menu");
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <KeyMenuTrigger name={apiKey.name} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={() => onAction("edit")}>
          <PencilIcon aria-hidden="true" />
          {t("edit")}
        </DropdownMenuItem>
        {isOwn ? (
          <DropdownMenuItem onSelect={() => onAction("rotate")}>
            <RefreshCwIcon aria-hidden="true" />
            {t("rotate")}
          </DropdownMenuItem>
        ) : null}
        {apiKey.enabled ? (
          <DropdownMenuItem onSelect={() => onAction("disable")}>
            <BanIcon aria-hidden="true" />
            {t("disable")}
          </DropdownMenuItem>
        ) : (
          <DropdownMenuItem onSelect={() => onAction("enable")}>
            <CircleCheckIcon aria-hidden="true" />
            {t("enable")}
          </DropdownMenuItem>
        )}
        <DropdownMenuSeparator />
        <DropdownMenuItem isDanger onSelect={() => onAction("delete")}>
          <Trash2Icon aria-hidden="true" />
          {t("delete")}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
