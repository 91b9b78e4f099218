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
import { type ReactNode, useRef } from "react";
import { useTranslations } from "use-intl";
import { isHigherRole } from "@/lib/contracts/rank";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { type UserAction, type UserMenuProps, UserMenuTrigger } from "./user-menu-trigger";

/** What one may do with a user, loaded by the press that opens it; with an equal or a higher role, nothing but look. */
export function UserMenu({ user, viewer, onAction }: UserMenuProps) {
  const t = useTranslations("users.menu");
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<UserAction | null>(null);
  // The dialog opens once the focus is back on the trigger: it takes it from there and gives it back there.
  const actOnClose = (event: Event) => {
    const action = chosen.current;
    if (!action) return;
    event.preventDefault();
    chosen.current = null;
    trigger.current?.focus();
    onAction(action);
  };
  const item = (action: UserAction, icon: ReactNode, isDanger = false) => (
    <DropdownMenuItem
      isDanger={isDanger}
      onSelect={() => {
        chosen.current = action;
      }}
    >
      {icon}
      {t(action)}
    </DropdownMenuItem>
  );
  const isSelf = user.id === viewer.id;
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <UserMenuTrigger ref={trigger} name={user.username} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose} className="max-w-64">
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
            {item("edit", <PencilIcon aria-hidden="true" />)}
            <DropdownMenuSeparator />
            {item("password", <Link2Icon aria-hidden="true" />)}
            {user.two_factor_enabled ? item("factor", <ShieldOffIcon aria-hidden="true" />) : null}
            {user.locked_until ? item("unlock", <LockOpenIcon aria-hidden="true" />) : null}
            {item("sessions", <LogOutIcon aria-hidden="true" />)}
            {user.enabled
              ? item("disable", <BanIcon aria-hidden="true" />)
              : item("enable", <CircleCheckIcon aria-hidden="true" />)}
            <DropdownMenuSeparator />
            {item("delete", <Trash2Icon aria-hidden="true" />, true)}
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
