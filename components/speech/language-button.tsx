"use client";

import { ChevronDownIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { useLocale, useTranslations } from "use-intl";
import { languageName } from "@/components/speech/language-names";
import { cn } from "../ui/class-names";
import { fieldClasses } from "../ui/input";

export interface LanguagePickerProps {
  id: string;
  /** BCP-47 tag; null: detected from the text. */
  language: string | null;
  isDisabled: boolean;
  describedBy: string | undefined;
  onChange(language: string | null): void;
}

/** Looks like the selects beside it; its name is the label and the chosen language. */
export function LanguageButton({
  id,
  language,
  isDisabled,
  describedBy,
  onChange: _,
  ...props
}: LanguagePickerProps & Omit<ComponentProps<"button">, "onChange">) {
  const t = useTranslations("speech");
  const locale = useLocale();
  return (
    <button
      type="button"
      {...props}
      id={id}
      aria-labelledby={`${id}-label ${id}`}
      aria-describedby={describedBy}
      disabled={isDisabled}
      className={cn(
        fieldClasses,
        "flex h-9 min-w-0 items-center justify-between gap-2 text-left read-only:bg-panel disabled:bg-sunken pointer-coarse:h-11",
      )}
    >
      {/* Server and browser may name a rare language differently. */}
      <span suppressHydrationWarning className="truncate">
        {language === null ? t("languageAuto") : languageName(language, locale)}
      </span>
      <ChevronDownIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
    </button>
  );
}
