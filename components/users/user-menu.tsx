"use client";

import {
  BanIcon,
  CircleCheckIcon,
  CircleUserIcon,
  KeyRoundIcon,
  Link2Icon,
  LockOpenIcon,
  LogOutIcon,
  PencilIcon,
  ShieldOffIcon,
  Trash2Icon,
} from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import type { ManagedUser, Viewer } from "@/lib/contracts/console/user";
import { isHigherRole } from "@/lib/contracts/rank";
import { ActionsMenu } from "../ui/actions-menu";
import { DropdownMenuItem, DropdownMenuSeparator } from "../ui/dropdown-menu";

export type UserAction =
  | "edit"
  | "password"
  | "twoFactor"
  | "unlock"
  | "sessions"
  | "disable"
  | "enable"
  | "delete";

interface UserMenuProps {
  user: ManagedUser;
  viewer: Viewer;
  onAction(action: UserAction): void;
}

/** The actions of a user; only those with a lower role than the viewer can be changed. */
export function UserMenu({ user, viewer, onAction }: UserMenuProps) {
  const t = useTranslations("users.menu");
  const isSelf = user.id === viewer.id;
  return (
    <ActionsMenu<UserAction> name={user.username} onAction={onAction}>
      {(item) => (
        <>
          <DropdownMenuItem asChild>
            <Link href={`/keys?owner=${isSelf ? "me" : encodeURIComponent(user.id)}`}>
              <KeyRoundIcon aria-hidden="true" />
              {t("keys")}
            </Link>
          </DropdownMenuItem>
          {isSelf ? (
            <DropdownMenuItem asChild>
              <Link href="/account">
                <CircleUserIcon aria-hidden="true" />
                {t("account")}
              </Link>
            </DropdownMenuItem>
          ) : !isHigherRole(viewer.role, user.role) ? (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuItem disabled>{t("higher")}</DropdownMenuItem>
            </>
          ) : (
            <>
              {item("edit", t("edit"), PencilIcon)}
              <DropdownMenuSeparator />
              {user.enabled ? item("password", t("password"), Link2Icon) : null}
              {user.two_factor_enabled ? item("twoFactor", t("twoFactor"), ShieldOffIcon) : null}
              {user.locked_until ? item("unlock", t("unlock"), LockOpenIcon) : null}
              {item("sessions", t("sessions"), LogOutIcon)}
              {user.enabled
                ? item("disable", t("disable"), BanIcon)
                : item("enable", t("enable"), CircleCheckIcon)}
              <DropdownMenuSeparator />
              {item("delete", t("delete"), Trash2Icon, { isDanger: true })}
            </>
          )}
        </>
      )}
    </ActionsMenu>
  );
}
