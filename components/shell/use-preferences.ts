"use client";

import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useLocale } from "use-intl";

import { api, callApi } from "@/lib/client/api";
import { setCookie } from "@/lib/client/set-cookie";
import { useApiCache } from "@/lib/client/use-api";
import { LOCALE_COOKIE, LOCALES, type Locale } from "@/lib/messages/locale";

/** Each language's name in that language. */
const LANGUAGE_NAMES: Record<Locale, string> = { en: "English", zh: "中文" };
export const LANGUAGES = LOCALES.map((locale) => ({ locale, name: LANGUAGE_NAMES[locale] }));
export const THEMES = ["system", "light", "dark"] as const;

/** Language and theme of this browser. A signed-in user's language is also saved in the account. */
export function usePreferences({ isSignedIn }: { isSignedIn: boolean }) {
  const router = useRouter();
  const cache = useApiCache();
  const locale = useLocale();
  const { theme = "system", resolvedTheme, setTheme } = useTheme();

  const setLocale = async (next: Locale) => {
    // The server renders the next page in it.
    setCookie(LOCALE_COOKIE, next);
    router.refresh();
    if (!isSignedIn) return;
    // This browser already has the language; if saving fails, only other browsers miss it.
    const saved = await callApi(api.updateSelf, { body: { locale: next } }).catch(() => null);
    // The cached account has the new version then, so that the profile form can still be saved.
    if (saved) await cache.write(api.readSelf, {}, saved);
  };
  const toggleTheme = () => setTheme(resolvedTheme === "dark" ? "light" : "dark");
  return { locale, setLocale, theme, setTheme, toggleTheme };
}
