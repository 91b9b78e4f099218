"use client";

import { BanIcon, CircleCheckIcon, EllipsisIcon, PencilIcon, RefreshCwIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/keys";
import { Button } from "../ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

export type KeyAction = "edit" | "rotate" | "disable" | "enable" | "delete";

/** What one may do with a key; only its owner rotates it, since that shows the new one. */
export function KeyMenu({
  apiKey,
  isOwn,
  onAction,
}: {
  apiKey: ApiKey;
  isOwn: boolean;
  onAction(action: KeyAction): void;
}) {
  const t = useTranslations("keys.menu");
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon-sm" aria-label={t("label", { name: apiKey.name })}>
          <EllipsisIcon />
        </Button>
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
