"use client";

import { LanguagesIcon, SunMoonIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { isLocale } from "@/lib/messages/locale";
import { Button } from "../ui/button";
import { LANGUAGES, usePreferences } from "./use-preferences";

/** Language and theme on pages without the shell: setup and sign-in. */
export function PreferenceBar({ isSignedIn = false }: { isSignedIn?: boolean }) {
  const t = useTranslations("common");
  const { locale, setLocale, toggleTheme } = usePreferences({ isSignedIn });
  return (
    <div className="flex items-center gap-1">
      <label className="relative inline-flex h-9 items-center gap-2 rounded-md px-2 text-sm text-ink-muted transition-colors focus-within:outline-2 hover:bg-hover pointer-coarse:h-11">
        <LanguagesIcon aria-hidden="true" className="size-4" />
        <span className="sr-only">{t("menu.language")}</span>
        <select
          value={locale}
          onChange={(event) => {
            if (isLocale(event.target.value)) void setLocale(event.target.value);
          }}
          className="cursor-pointer appearance-none bg-transparent pr-1 outline-none [&>option]:bg-raised [&>option]:text-ink"
        >
          {LANGUAGES.map((one) => (
            <option key={one.locale} value={one.locale} lang={one.locale}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <Button variant="ghost" size="icon" aria-label={t("palette.toggleTheme")} onClick={toggleTheme}>
        <SunMoonIcon />
      </Button>
    </div>
  );
}
