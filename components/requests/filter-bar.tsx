"use client";

import { SlidersHorizontalIcon, XIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { CALL_FILTERS, type CallFilter, MAX_ITEMS, REJECTED, readCallFilters } from "@/lib/client/calls";
import { isComposing } from "@/lib/client/is-composing";
import { pushQueryParams } from "@/lib/client/query-params";
import { type Range, rangeQuery } from "@/lib/client/range";
import { useApi } from "@/lib/client/use-api";
import { RangePicker } from "../forms/range-picker";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { FilterSelect, Input, Label, SelectOptions } from "../ui/input";
import { keepingFocus } from "../ui/keep-focus";
import { useInputValue } from "../ui/use-input-value";
import { ERROR_CODES } from "./call-cells";

type Option = readonly [value: string, label: string];

/** Filters in the second row, hidden until expanded or in use. */
const MORE_FILTERS: readonly CallFilter[] = [
  "channel_id",
  "key_id",
  "user_id",
  "operation",
  "tag",
  "end_user",
  "request_id",
];

/** Range and filters of the calls, stored in the URL. `isOwn`: the user sees only their own calls. */
export function FilterBar({ range, isOwn }: { range: Range; isOwn: boolean }) {
  const t = useTranslations("requests.filter");
  const filters = readCallFilters(useSearchParams());
  const moreInUse = MORE_FILTERS.filter((name) => filters[name] !== undefined).length;
  const [isExpanded, setExpanded] = useState(moreInUse > 0);
  const isFiltered = Object.keys(filters).length > 0;

  const clear = () => pushQueryParams(Object.fromEntries(CALL_FILTERS.map((name) => [name, null])));
  return (
    <section aria-label={t("label")} className="mb-6 grid gap-3">
      <RangePicker range={range} />
      <div className="flex flex-wrap items-end gap-3">
        <TextFilter
          name="q"
          type="search"
          placeholder={t("searchHint")}
          maxLength={200}
          className="w-full md:w-auto md:min-w-72 md:flex-1"
        />
        <div className="grid w-full grid-cols-2 gap-3 md:contents">
          <UsedValueFilter name="model" by="model" range={range} isNarrow />
          <SelectFilter
            name="status"
            isNarrow
            options={[
              ["ok", t("ok")],
              ["failed", t("failed")],
              [REJECTED, t("rejected")],
              ...ERROR_CODES.map((code): Option => [code, `${t(`error.${code}`)} (${code})`]),
            ]}
          />
        </div>
        <Button variant="outline" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
          <SlidersHorizontalIcon aria-hidden="true" />
          {isExpanded ? t("less") : t("more")}
          {moreInUse > 0 && !isExpanded ? <span className="tabular text-ink-muted">{moreInUse}</span> : null}
        </Button>
        {isFiltered ? (
          <Button variant="ghost" onClick={keepingFocus(clear)}>
            <XIcon aria-hidden="true" />
            {t("clear")}
          </Button>
        ) : null}
      </div>
      {isExpanded ? <MoreFilters range={range} isOwn={isOwn} /> : null}
    </section>
  );
}

function MoreFilters({ range, isOwn }: { range: Range; isOwn: boolean }) {
  const t = useTranslations("requests.operation");
  return (
    <div className="grid grid-cols-2 gap-3 rounded-md border bg-panel p-3 md:grid-cols-4">
      <UsedValueFilter name="channel_id" by="channel" range={range} />
      <UsedValueFilter name="key_id" by="key" range={range} />
      {isOwn ? null : <UsedValueFilter name="user_id" by="user" range={range} />}
      <SelectFilter
        name="operation"
        options={[
          ["speech", t("speech")],
          ["embeddings", t("embeddings")],
        ]}
      />
      <TextFilter name="tag" />
      <TextFilter name="end_user" />
      <TextFilter name="request_id" className={isOwn ? "md:col-span-2" : "col-span-2"} />
    </div>
  );
}

/**
 * A filter that offers the values with calls in the range, most calls first. If there are more values than one reply
 * holds, any model can be entered, and the other lists say that they are cut.
 */
function UsedValueFilter({
  name,
  by,
  range,
  isNarrow,
}: {
  name: CallFilter;
  by: "model" | "channel" | "key" | "user";
  range: Range;
  isNarrow?: boolean;
}) {
  const t = useTranslations("requests.filter");
  const { data } = useApi(
    api.summarizeUsage,
    { query: { ...rangeQuery(range), by, limit: MAX_ITEMS } },
    { keepPreviousData: true },
  );
  const isCut = data?.items.length === MAX_ITEMS;
  const options = (data?.items ?? [])
    .filter((item) => item.name !== null)
    .sort((a, b) => b.calls - a.calls)
    .map((item): Option => {
      const value = item.name ?? "";
      return [value, by === "model" ? value : (item.label ?? t("deleted", { id: value }))];
    });
  if (isCut && by === "model") return <TextFilter name={name} suggestions={options} className="md:w-40" />;
  return <SelectFilter name={name} options={options} isCut={isCut} isNarrow={isNarrow} />;
}

function SelectFilter({
  name,
  options,
  isCut,
  isNarrow,
}: {
  name: CallFilter;
  options: readonly Option[];
  isCut?: boolean;
  isNarrow?: boolean;
}) {
  const t = useTranslations("requests.filter");
  const value = useSearchParams().get(name) ?? "";
  return (
    <div className="grid min-w-0 gap-1">
      <Label htmlFor={`filter-${name}`} className="text-xs text-ink-faint">
        {t(name)}
      </Label>
      <FilterSelect
        id={`filter-${name}`}
        value={value}
        onValueChange={(next) => pushQueryParams({ [name]: next || null })}
        className={isNarrow ? "md:w-40" : undefined}
      >
        <option value="">{t("any")}</option>
        <SelectOptions of={options} selected={value || undefined} />
        {isCut ? <option disabled>{t("mostCalled", { count: MAX_ITEMS })}</option> : null}
      </FilterSelect>
    </div>
  );
}

/** A filter typed as text; applied on Enter or when the field loses focus. */
function TextFilter({
  name,
  className,
  suggestions,
  ...input
}: { name: CallFilter; suggestions?: readonly Option[] } & Pick<
  ComponentProps<typeof Input>,
  "className" | "type" | "placeholder" | "maxLength"
>) {
  const t = useTranslations("requests.filter");
  const value = useSearchParams().get(name) ?? "";
  const { shown, show, change } = useInputValue(value, (next) => pushQueryParams({ [name]: next || null }));
  const apply = () => change(shown.trim());
  return (
    <div className={cn("grid min-w-0 gap-1", className)}>
      <span className="flex justify-between gap-2 text-xs text-ink-faint">
        <Label htmlFor={`filter-${name}`} className="shrink-0 text-xs text-ink-faint">
          {t(name)}
        </Label>
        <span id={`filter-${name}-hint`} className="truncate">
          {shown.trim() === value ? null : t("pressEnter")}
        </span>
      </span>
      <Input
        id={`filter-${name}`}
        aria-describedby={`filter-${name}-hint`}
        list={suggestions && `filter-${name}-list`}
        value={shown}
        placeholder={t("any")}
        {...input}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => show(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !isComposing(event.nativeEvent)) apply();
        }}
      />
      {suggestions ? (
        <datalist id={`filter-${name}-list`}>
          <SelectOptions of={suggestions} />
        </datalist>
      ) : null}
    </div>
  );
}
