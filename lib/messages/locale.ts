export const LOCALES = ["en", "zh"] as const;
export type Locale = (typeof LOCALES)[number];

/** Remembers the language chosen in this browser; read by the server, so the first paint is already right. */
export const LOCALE_COOKIE = "patchbay_locale";

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value);
}

/** The language to speak: what was chosen, else the browser's best (`Accept-Language`, by weight), else English. */
export function pickLocale(
  chosen: string | null | undefined,
  acceptLanguage: string | null | undefined,
): Locale {
  if (isLocale(chosen)) return chosen;
  const wishes = (acceptLanguage ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(";");
      const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return {
        language: tag.toLowerCase().split("-")[0] ?? "",
        weight: weight ? Number(weight.slice(2)) : 1,
      };
    })
    .filter((wish) => wish.weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { language } of wishes) if (isLocale(language)) return language;
  return "en";
}
