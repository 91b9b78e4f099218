"use client";

import { SearchIcon } from "lucide-react";
import { type RefObject, useMemo, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { byName, languageName } from "@/components/speech/language-names";
import type { GatewayVoice } from "@/lib/client/gateway-models";
import { FailureNotice } from "../playground/failure-notice";
import { Button } from "../ui/button";
import { NativeSelect, SelectOptions } from "../ui/input";
import { SegmentedControl } from "../ui/segmented-control";
import {
  familiesOf,
  filterVoices,
  groupVoices,
  languagesOf,
  NO_FILTER,
  type VoiceFilter,
} from "./voice-filter";
import { useVoiceStyle, VoiceList, type VoiceListProps } from "./voice-list";

const GENDERS = ["all", "female", "male", "neutral"] as const;

interface VoiceChoiceProps extends Omit<VoiceListProps, "groups"> {
  voices: readonly GatewayVoice[];
  /** The catalogues whose voice names are the model's own, not aliases. */
  ownFamilies: readonly GatewayVoice["family"][];
  title: string | null;
  /** The voices are those of the built-in synthesisers. */
  isClassic: boolean;
}

/** The voices of the model, filtered by name, style, gender, language and catalogue. */
export function VoiceChoice({ voices, ownFamilies, title, isClassic, ...choice }: VoiceChoiceProps) {
  const t = useTranslations("speech.voices");
  const [filter, setFilter] = useState<VoiceFilter>(NO_FILTER);
  const search = useRef<HTMLInputElement>(null);
  const { isFavourite } = choice.favourites;
  const { failure } = choice.sampler;
  const locale = useLocale();
  const styleOf = useVoiceStyle();
  // The search covers what the page shows of a voice.
  const shown = useMemo(() => {
    const languagesOfVoice = (voice: GatewayVoice) => voice.languages.map((tag) => languageName(tag, locale));
    return filterVoices(voices, filter, (voice) =>
      [voice.name, voice.description, styleOf(voice), ...languagesOfVoice(voice)].join(" "),
    );
  }, [voices, filter, styleOf, locale]);
  const groups = useMemo(
    () => groupVoices(shown, ownFamilies, isFavourite),
    [shown, ownFamilies, isFavourite],
  );
  return (
    <>
      <div className="grid gap-2 border-b p-3">
        {title ? <p className="text-sm text-ink-muted">{title}</p> : null}
        {isClassic ? <p className="text-sm text-ink-muted">{t("classic")}</p> : null}
        <VoiceFilters voices={voices} filter={filter} search={search} onChange={setFilter} />
      </div>
      <div className="max-h-96 min-h-0 overflow-y-auto overscroll-contain pb-2 xl:max-h-none">
        {failure ? (
          <div className="p-2">
            <FailureNotice failure={failure} />
          </div>
        ) : null}
        <VoiceList groups={groups} {...choice} />
        {groups.length === 0 ? (
          <div className="grid justify-items-center gap-3 p-6 text-center">
            <p className="text-ink-muted">{t("none")}</p>
            <Button
              variant="outline"
              size="sm"
              onClick={() => {
                setFilter(NO_FILTER);
                search.current?.focus();
              }}
            >
              {t("reset")}
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}

/** A choice of one value or, as the first option, of none. Renders nothing if there is no choice. */
function FilterSelect<Value extends string>({
  label,
  any,
  value,
  options,
  onChange,
}: {
  label: string;
  /** Text of the option without a value. */
  any: string;
  value: Value | null;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value | null): void;
}) {
  // A list with one value filters nothing.
  if (options.length < 2) return null;
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={({ currentTarget }) =>
        onChange(options.find((one) => one.value === currentTarget.value)?.value ?? null)
      }
    >
      <option value="">{any}</option>
      <SelectOptions of={options.map((one) => [one.value, one.label])} />
    </NativeSelect>
  );
}

/** Search and filters. Those by language and by catalogue are shown only where the voices differ in them. */
function VoiceFilters({
  voices,
  filter,
  search,
  onChange,
}: {
  voices: readonly GatewayVoice[];
  filter: VoiceFilter;
  search: RefObject<HTMLInputElement | null>;
  onChange(filter: VoiceFilter): void;
}) {
  const t = useTranslations("speech.voices");
  const locale = useLocale();
  const languages = useMemo(() => byName(languagesOf(voices), locale), [voices, locale]);
  const families = familiesOf(voices);
  return (
    <>
      <label className="flex h-9 items-center gap-2 rounded-md border border-line-strong/60 px-2.5 focus-within:border-ink pointer-coarse:h-11">
        <SearchIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
        <input
          ref={search}
          type="search"
          aria-label={t("search")}
          placeholder={t("searchPlaceholder")}
          value={filter.search}
          onChange={(event) => onChange({ ...filter, search: event.currentTarget.value })}
          className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-faint"
        />
      </label>
      {languages.length > 1 || families.length > 1 ? (
        <div className="flex gap-2">
          <FilterSelect
            label={t("language")}
            any={t("anyLanguage")}
            value={filter.language}
            options={languages.map(({ tag, name }) => ({ value: tag, label: name }))}
            onChange={(language) => onChange({ ...filter, language })}
          />
          <FilterSelect
            label={t("provider")}
            any={t("anyProvider")}
            value={filter.family}
            options={families.map((family) => ({ value: family, label: t(`families.${family}`) }))}
            onChange={(family) => onChange({ ...filter, family })}
          />
        </div>
      ) : null}
      <SegmentedControl<(typeof GENDERS)[number]>
        label={t("gender")}
        value={filter.gender ?? "all"}
        onValueChange={(value) => onChange({ ...filter, gender: value === "all" ? null : value })}
        segments={GENDERS.map((value) => ({ value, label: t(value) }))}
        className="flex [&>label]:px-1"
      />
    </>
  );
}
