"use client";

import { LogOutIcon } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
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
import { AccountTrigger, type ShellUser } from "./account-trigger";
import { LANGUAGES, THEMES, usePreferences } from "./use-preferences";

/** Account page, theme, language and sign-out. Loaded when it is first opened, so it starts open. */
export function AccountMenu({ user, onError }: { user: ShellUser; onError(error: unknown): void }) {
  const t = useTranslations("common.menu");
  const { locale, setLocale, theme, setTheme } = usePreferences({ isSignedIn: true });
  const [isOpen, setOpen] = useState(true);
  return (
    <DropdownMenu open={isOpen} onOpenChange={setOpen}>
      <DropdownMenuTrigger asChild>
        <AccountTrigger user={user} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" side="top" className="w-56">
        <DropdownMenuItem asChild>
          {/* Closes the menu even when the leave guard stops the navigation. */}
          <Link href="/account" onClick={() => setOpen(false)}>
            {t("accountPage")}
          </Link>
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
