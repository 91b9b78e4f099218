"use client";

import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useLocale } from "use-intl";
import { rememberLocale } from "@/components/shell/locale";
import { api } from "@/lib/client/api";
import { LOCALES, type Locale } from "@/lib/messages/locale";

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Locale, string> = { en: "English", zh: "中文" };
export const LANGUAGES = LOCALES.map((locale) => ({ locale, name: LANGUAGE_NAMES[locale] }));
export const THEMES = ["system", "light", "dark"] as const;

/** Language and theme of this browser; a signed-in user's language is kept with the account too. */
export function usePreferences({ isSignedIn }: { isSignedIn: boolean }) {
  const router = useRouter();
  const locale = useLocale();
  const { theme = "system", resolvedTheme, setTheme } = useTheme();

  const setLocale = async (next: Locale) => {
    rememberLocale(next);
    router.refresh();
    // The page already speaks it; a server that is away only forgets it for other browsers.
    if (isSignedIn) await api.patch("/api/user/self", { locale: next }).catch(() => undefined);
  };
  const toggleTheme = () => setTheme(resolvedTheme === "dark" ? "light" : "dark");
  return { locale, setLocale, theme, setTheme, toggleTheme };
}
