/** Tags with their language names in `locale`, sorted by name. */
export function byName(tags: readonly string[], locale: string): { tag: string; name: string }[] {
  return tags
    .map((tag) => ({ tag, name: languageName(tag, locale) }))
    .sort((a, b) => a.name.localeCompare(b.name, locale));
}

/** The name of a language in `locale`; the tag where it has none. */
export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language" }).of(tag === "cmn-CN" ? "zh-CN" : tag) ?? tag;
  } catch {
    return tag;
  }
}
