"use client";

import { LogOutIcon, PlusIcon, SunMoonIcon } from "lucide-react";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { signOut } from "@/lib/client/sign-out";
import type { Role } from "@/lib/contracts/user";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "../ui/command";
import { Dialog, DialogContent, DialogDescription, DialogTitle } from "../ui/dialog";
import { pagesFor } from "./pages";
import { LANGUAGES, usePreferences } from "./use-preferences";

/** Every place and every action of the shell, found by name. */
export function CommandPalette({
  open,
  onOpenChange,
  onError,
  role,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
  onError(error: unknown): void;
  role: Role;
}) {
  const t = useTranslations("common");
  const router = useRouter();
  const { locale, setLocale, toggleTheme } = usePreferences({ isSignedIn: true });
  const item = (name: string, icon: ReactNode, act: () => void) => (
    <CommandItem
      key={name}
      value={name}
      onSelect={() => {
        onOpenChange(false);
        act();
      }}
    >
      {icon}
      {name}
    </CommandItem>
  );
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent className="top-24 max-w-xl translate-y-0 gap-0 p-0 [&>button]:hidden">
        <DialogTitle className="sr-only">{t("palette.title")}</DialogTitle>
        <DialogDescription className="sr-only">{t("palette.placeholder")}</DialogDescription>
        <Command label={t("palette.title")}>
          <CommandInput placeholder={t("palette.placeholder")} />
          <CommandList>
            <CommandEmpty>{t("palette.empty")}</CommandEmpty>
            <CommandGroup heading={t("palette.pages")}>
              {pagesFor(role).map((page) =>
                item(t(`nav.${page.name}`), <page.icon />, () => router.push(page.path)),
              )}
            </CommandGroup>
            <CommandGroup heading={t("palette.actions")}>
              {item(t("palette.createKey"), <PlusIcon />, () => router.push("/keys?create=1"))}
              {role === "member"
                ? null
                : [
                    item(t("palette.addChannel"), <PlusIcon />, () => router.push("/channels/new")),
                    item(t("palette.inviteUser"), <PlusIcon />, () => router.push("/users?invite=1")),
                  ]}
              {item(t("palette.toggleTheme"), <SunMoonIcon />, toggleTheme)}
              {LANGUAGES.filter((one) => one.locale !== locale).map((one) =>
                item(
                  one.name,
                  <span aria-hidden="true" className="size-4" />,
                  () => void setLocale(one.locale),
                ),
              )}
              {item(t("menu.signOut"), <LogOutIcon />, () => void signOut().catch(onError))}
            </CommandGroup>
          </CommandList>
        </Command>
      </DialogContent>
    </Dialog>
  );
}
