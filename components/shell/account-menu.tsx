"use client";

import { ChevronsUpDownIcon, LogOutIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { signOut } from "@/lib/client/sign-out";
import { isLocale } from "@/lib/messages/locale";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { LANGUAGES, THEMES, usePreferences } from "./use-preferences";

export interface ShellUser {
  username: string;
  displayName: string;
  role: string;
}

/** Who is signed in, and what belongs to this browser: theme, language, sign-out. */
export function AccountMenu({ user, onError }: { user: ShellUser; onError(error: unknown): void }) {
  const t = useTranslations("common.menu");
  const { locale, setLocale, theme, setTheme } = usePreferences({ isSignedIn: true });
  return (
    <DropdownMenu>
      <DropdownMenuTrigger
        aria-label={`${t("account")}: ${user.username}`}
        className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left transition-colors hover:bg-hover data-[state=open]:bg-hover"
      >
        <span
          aria-hidden="true"
          className="flex size-7 shrink-0 items-center justify-center rounded-full bg-ink text-xs font-medium text-on-ink uppercase"
        >
          {[...(user.displayName || user.username)][0]}
        </span>
        <span className="grid min-w-0 flex-1 leading-tight">
          <span className="truncate text-sm font-medium">{user.displayName || user.username}</span>
          {user.displayName && user.displayName !== user.username ? (
            <span className="truncate text-xs text-ink-faint">{user.username}</span>
          ) : null}
        </span>
        <ChevronsUpDownIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" side="top" className="w-56">
        <DropdownMenuItem asChild>
          <Link href="/account">{t("accountPage")}</Link>
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        <DropdownMenuLabel>{t("theme")}</DropdownMenuLabel>
        <DropdownMenuRadioGroup value={theme} onValueChange={setTheme}>
          {THEMES.map((one) => (
            <DropdownMenuRadioItem key={one} value={one}>
              {t(one)}
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
        <DropdownMenuSeparator />
        <DropdownMenuLabel>{t("language")}</DropdownMenuLabel>
        <DropdownMenuRadioGroup
          value={locale}
          onValueChange={(next) => {
            if (isLocale(next)) void setLocale(next);
          }}
        >
          {LANGUAGES.map((one) => (
            <DropdownMenuRadioItem key={one.locale} value={one.locale} lang={one.locale}>
              {one.name}
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
        <DropdownMenuSeparator />
        <DropdownMenuItem onSelect={() => void signOut().catch(onError)}>
          <LogOutIcon aria-hidden="true" />
          {t("signOut")}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
