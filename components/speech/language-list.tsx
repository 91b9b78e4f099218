"use client";

import { CheckIcon } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { byName, languageName } from "@/components/speech/language-names";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "../ui/command";
import { Popover, PopoverContent, PopoverTrigger } from "../ui/popover";
import { LanguageButton, type LanguagePickerProps } from "./language-button";

/** The first languages in the picker. A link may set any BCP-47 tag. */
export const SPEECH_LANGUAGES = [
  "en-US",
  "en-GB",
  "es-ES",
  "fr-FR",
  "de-DE",
  "it-IT",
  "pt-BR",
  "pt-PT",
  "nl-NL",
  "pl-PL",
  "ru-RU",
  "tr-TR",
  "ar",
  "hi-IN",
  "cmn-CN",
  "ja-JP",
  "ko-KR",
  "vi-VN",
] as const;

/** The other languages of the built-in engines, by base tag. An upstream may support more or fewer. */
export const MORE_SPEECH_LANGUAGES =
  "af am an as az ba be bg bn bs ca cs cv cy da el eo et eu fa fi fo ga gd gn gu haw he hr ht hu hy ia id io is ka kk kn kok ku ky la lb lt lv mi mk ml mr ms mt nb ne nog om or pa pap qu ro sd si sk sl sq sr sv sw ta te ti tk tn tt ug uk ur uz yue".split(
    " ",
  );

/** The languages, searched by tag and by name in the page's or their own language. Opens when it is mounted. */
export function LanguageList(props: LanguagePickerProps) {
  const { language, onChange } = props;
  const t = useTranslations("speech");
  const locale = useLocale();
  const [isOpen, setOpen] = useState(true);
  const more = useMemo(() => {
    const common: readonly string[] = SPEECH_LANGUAGES;
    // A link may set any language; it is offered unchanged, and the API validates it.
    const isOther =
      language !== null && !common.includes(language) && !MORE_SPEECH_LANGUAGES.includes(language);
    return byName(isOther ? [...MORE_SPEECH_LANGUAGES, language] : MORE_SPEECH_LANGUAGES, locale);
  }, [language, locale]);
  const choose = (tag: string | null) => {
    onChange(tag);
    setOpen(false);
  };
  const item = (tag: string, name: string) => (
    <CommandItem key={tag} value={tag} keywords={[name, languageName(tag, tag)]} onSelect={() => choose(tag)}>
      <span className="truncate">{name}</span>
      <code className="ml-auto text-ink-faint">{tag}</code>
      {tag === language ? <CheckIcon aria-hidden="true" /> : null}
    </CommandItem>
  );
  return (
    <Popover open={isOpen && !props.isDisabled} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <LanguageButton {...props} />
      </PopoverTrigger>
      <PopoverContent
        aria-label={t("language")}
        className="flex max-h-(--radix-popover-content-available-height) p-0"
      >
        <Command label={t("languageSearch")} defaultValue={language ?? "auto"}>
          <CommandInput placeholder={t("languageSearch")} />
          <CommandList className="max-h-80" label={t("language")}>
            <CommandEmpty>{t("languageNone")}</CommandEmpty>
            <CommandGroup>
              <CommandItem value="auto" keywords={[t("languageAuto")]} onSelect={() => choose(null)}>
                {t("languageAuto")}
                {language === null ? <CheckIcon aria-hidden="true" className="ml-auto" /> : null}
              </CommandItem>
              {SPEECH_LANGUAGES.map((tag) => item(tag, languageName(tag, locale)))}
            </CommandGroup>
            <CommandGroup heading={t("languageMore")}>
              {more.map(({ tag, name }) => item(tag, name))}
            </CommandGroup>
          </CommandList>
        </Command>
      </PopoverContent>
    </Popover>
  );
}
