export const LOCALES = ["en", "zh"] as const;
export type Locale = (typeof LOCALES)[number];

/** Stores the language chosen in this browser; the server reads it to render pages in that language. */
export const LOCALE_COOKIE = "patchbay_locale";

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value);
}

/** The chosen language, else the most preferred supported one of `Accept-Language`, else English. */
export function pickLocale(
  chosen: string | null | undefined,
  acceptLanguage: string | null | undefined,
): Locale {
  if (isLocale(chosen)) return chosen;
  const preferences = (acceptLanguage ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(";");
      const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return {
        language: tag.toLowerCase().split("-")[0] ?? "",
        weight: weight ? Number(weight.slice(2)) : 1,
      };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { language } of preferences) if (isLocale(language)) return language;
  return "en";
}
