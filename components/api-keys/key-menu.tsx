"use client";

import { BanIcon, CircleCheckIcon, PencilIcon, PlayIcon, RefreshCwIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { ActionsMenu } from "../ui/actions-menu";
import { DropdownMenuItem, DropdownMenuSeparator } from "../ui/dropdown-menu";

export type KeyAction = "try" | "edit" | "rotate" | "disable" | "enable" | "delete";

interface KeyMenuProps {
  apiKey: ApiKey;
  isOwn: boolean;
  mayChange: boolean;
  /** The key may use a model of a playground. */
  mayTry: boolean;
  /** The higher role that disabled the key, which only that role may enable again; null if the viewer may. */
  disabledBy: "owner" | "admin" | null;
  onAction(action: KeyAction): void;
}

/**
 * The actions of a key. Only its owner may rotate it, because rotation reveals the new secret. A disabled key cannot be
 * rotated: the new key would be disabled too.
 */
export function KeyMenu({ apiKey, isOwn, mayChange, mayTry, disabledBy, onAction }: KeyMenuProps) {
  const t = useTranslations("apiKeys.menu");
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return (
    <ActionsMenu<KeyAction> name={apiKey.name} onAction={onAction}>
      {(item) => (
        <>
          {mayTry ? item("try", t("try"), PlayIcon) : null}
          {mayChange ? (
            <>
              {item("edit", t("edit"), PencilIcon)}
              {isOwn && apiKey.enabled && !isExpired ? item("rotate", t("rotate"), RefreshCwIcon) : null}
              {apiKey.enabled
                ? item("disable", t("disable"), BanIcon)
                : disabledBy
                  ? item("enable", t(`disabledBy.${disabledBy}`), BanIcon, { disabled: true })
                  : item("enable", t("enable"), CircleCheckIcon)}
              <DropdownMenuSeparator />
              {item("delete", t("delete"), Trash2Icon, { isDanger: true })}
            </>
          ) : (
            <DropdownMenuItem disabled>{t("higher")}</DropdownMenuItem>
          )}
        </>
      )}
    </ActionsMenu>
  );
}
