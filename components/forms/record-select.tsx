"use client";

import { useState } from "react";
import { FilterSelect, SelectOptions } from "../ui/input";
import { useInputValue } from "../ui/use-input-value";
import { useOnDemand } from "../ui/use-on-demand";
import { RecordButton, type RecordSelectProps } from "./record-button";
import { useChoices } from "./record-choices";

/** A select of users or API keys. A list that is longer than one page is searched by the server. */
export function RecordSelect({ kind, label, fixed, except, unknownName, ...props }: RecordSelectProps) {
  const { choices = [], hasMore } = useChoices(kind, "");
  const [isFocused, setFocused] = useState(false);
  if (hasMore)
    return (
      <SearchedSelect
        {...{ kind, label, fixed, except, unknownName }}
        {...props}
        autoFocus={isFocused}
        onFocused={() => setFocused(false)}
      />
    );
  const { value } = props;
  const offered = [...fixed, ...choices.filter((one) => one.value !== except)];
  const isOffered = offered.some((one) => one.value === value);
  return (
    <FilterSelect
      aria-label={label}
      {...props}
      // The button that replaces this select once a long list has loaded takes over the focus.
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {isOffered ? null : <option value={value}>{unknownName ?? value}</option>}
      <SelectOptions of={offered.map((one) => [one.value, one.name])} />
    </FilterSelect>
  );
}

const loadList = () => import("./record-list").then((one) => one.SearchableRecords);

/** A button that looks like a select; the list with its search is loaded when it is first opened. */
function SearchedSelect({
  onValueChange,
  autoFocus,
  onFocused,
  ...props
}: RecordSelectProps & { autoFocus: boolean; onFocused(): void }) {
  const { shown, change } = useInputValue(props.value, onValueChange);
  const { Loaded, trigger } = useOnDemand(loadList);
  const current = { ...props, value: shown, onValueChange: change };
  return Loaded ? (
    <Loaded {...current} />
  ) : (
    <RecordButton
      {...current}
      autoFocus={autoFocus}
      aria-haspopup="dialog"
      {...trigger}
      onFocus={() => {
        trigger.onFocus();
        onFocused();
      }}
    />
  );
}
