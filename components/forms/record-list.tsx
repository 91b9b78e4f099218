"use client";

import { CheckIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { searchText } from "@/lib/client/query-params";
import { useDebounced } from "@/lib/client/use-debounced";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "../ui/command";
import { Popover, PopoverContent, PopoverTrigger } from "../ui/popover";
import { useErrorText } from "./call-error";
import { RecordButton, type RecordSelectProps } from "./record-button";
import { type Choice, useChoices } from "./record-choices";

/** The value of a choice for cmdk, where it must not be empty. */
const itemValue = ({ value }: Choice): string => value || "none";

const isMatch = ({ name, note = "" }: Choice, text: string): boolean =>
  [name, note].some((one) => one.toLowerCase().includes(text.toLowerCase()));

/** A `RecordSelect` with a search. Opens when it is mounted. */
export function SearchableRecords(props: RecordSelectProps) {
  const { kind, label, value, onValueChange, fixed, except } = props;
  const t = useTranslations("common");
  const [isOpen, setOpen] = useState(true);
  const [q, setQ] = useState("");
  const [active, setActive] = useState(value || "none");
  const debounced = useDebounced(q);
  const { choices, hasMore, isCurrent, error } = useChoices(kind, debounced);
  const errorText = useErrorText();
  const text = searchText(q);
  // A search finds records only.
  const others = text === null ? fixed : [];
  // Records of the previous search are shown only where they match the new text: Enter would choose the first of them.
  const isFound = text === null || (isCurrent && text === searchText(debounced));
  const records = (choices ?? []).filter((one) => one.value !== except && (isFound || isMatch(one, text)));
  const offered = [...others, ...records].map(itemValue);
  const item = (one: Choice) => (
    <CommandItem
      key={one.value}
      value={itemValue(one)}
      onSelect={() => {
        onValueChange(one.value);
        setOpen(false);
      }}
    >
      <span className="truncate">{one.name}</span>
      {one.value === value ? <CheckIcon aria-hidden="true" /> : null}
      {one.note ? <span className="ml-auto truncate pl-4 text-ink-faint">{one.note}</span> : null}
    </CommandItem>
  );
  return (
    <Popover open={isOpen} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <RecordButton {...props} />
      </PopoverTrigger>
      <PopoverContent
        aria-label={label}
        className="flex max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-1rem)] p-0"
      >
        <Command
          label={t("search")}
          shouldFilter={false}
          // Selected here: when the server's results replace the selected item, cmdk itself selects none.
          value={offered.includes(active) ? active : (offered[0] ?? "")}
          onValueChange={setActive}
        >
          <CommandInput placeholder={t("search")} value={q} onValueChange={setQ} />
          <CommandList className="max-h-80" label={label}>
            <CommandEmpty>
              {error
                ? errorText(error).message
                : isFound && choices
                  ? t("results", { count: 0 })
                  : t("loading")}
            </CommandEmpty>
            {others.length > 0 ? <CommandGroup>{others.map(item)}</CommandGroup> : null}
            <CommandGroup>{records.map(item)}</CommandGroup>
            {hasMore ? <p className="px-2 py-2 text-sm text-ink-muted">{t("searchForMore")}</p> : null}
          </CommandList>
        </Command>
      </PopoverContent>
    </Popover>
  );
}
