"use client";

import { SlidersHorizontalIcon, XIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import { pushQueryParams } from "@/lib/client/query-params";
import { CALL_FILTERS, type CallFilter, readCallFilters, sumsPath } from "@/lib/client/calls";
import type { Range } from "@/lib/client/range";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import { RangePicker } from "../forms/range-picker";
import { Button } from "../ui/button";
import { Label } from "../ui/label";
import { NativeSelect } from "../ui/native-select";
import { TextFilter } from "./text-filter";

interface Option {
  value: string;
  label: string;
}

/** Filters that stand in the second row, folded until asked for or in use. */
const FOLDED: readonly CallFilter[] = [
  "channel_id",
  "key_id",
  "user_id",
  "operation",
  "tag",
  "end_user",
  "request_id",
];

/** Errors that a call in the books can have. */
const CODES = [
  "upstream_error",
  "upstream_timeout",
  "upstream_rate_limited",
  "upstream_invalid",
  "upstream_truncated",
  "no_channel_available",
  "invalid",
  "caller_left",
  "internal",
] as const;

/** What calls are narrowed by, in the page's address. `isOwn`: the visitor sees no one else's. */
export function FilterBar({ range, isOwn }: { range: Range; isOwn: boolean }) {
  const t = useTranslations("requests.filter");
  const words = useTranslations("requests.operation");
  const filters = readCallFilters(useSearchParams());
  const folded = FOLDED.filter((name) => filters[name] !== undefined).length;
  const [isUnfolded, setUnfolded] = useState(folded > 0);
  const isFiltered = Object.keys(filters).length > 0;

  const clear = () => pushQueryParams(Object.fromEntries(CALL_FILTERS.map((name) => [name, null])));
  return (
    <section aria-label={t("label")} className="mb-6 grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <RangePicker range={range} />
        <div className="grid w-full grid-cols-2 gap-3 md:contents">
          <Choice name="model" by="model" range={range} isNarrow />
          <Pick
            name="status"
            isNarrow
            options={[
              { value: "ok", label: t("ok") },
              { value: "failed", label: t("failed") },
              ...CODES.map((code) => ({ value: code, label: t("code", { code }) })),
            ]}
          />
        </div>
        <Button variant="outline" aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
          <SlidersHorizontalIcon aria-hidden="true" />
          {isUnfolded ? t("less") : t("more")}
          {folded > 0 && !isUnfolded ? <span className="tabular text-ink-muted">{folded}</span> : null}
        </Button>
        {isFiltered ? (
          <Button variant="ghost" onClick={clear}>
            <XIcon aria-hidden="true" />
            {t("clear")}
          </Button>
        ) : null}
      </div>
      {isUnfolded ? (
        <div className="grid grid-cols-2 gap-3 rounded-md border bg-panel p-3 md:grid-cols-4">
          <Choice name="channel_id" by="channel" range={range} />
          <Choice name="key_id" by="key" range={range} />
          {isOwn ? null : <Choice name="user_id" by="user" range={range} />}
          <Pick
            name="operation"
            options={[
              { value: "speech", label: words("speech") },
              { value: "embeddings", label: words("embeddings") },
            ]}
          />
          <TextFilter name="tag" />
          <TextFilter name="end_user" />
          <TextFilter name="request_id" className={isOwn ? "md:col-span-2" : "col-span-2"} />
        </div>
      ) : null}
    </section>
  );
}

/** One of those that had calls in the range, the busiest first. */
function Choice({
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
  const { data } = useSWR<UsageSummary>(sumsPath({}, range, { by }), { keepPreviousData: true });
  const options = (data?.items ?? [])
    .filter((item) => item.name !== null)
    .sort((a, b) => b.calls - a.calls)
    .map((item): Option => {
      const value = item.name ?? "";
      return { value, label: by === "model" ? value : (item.label ?? t("gone", { id: value })) };
    });
  return <Pick name={name} options={options} isNarrow={isNarrow} />;
}

function Pick({
  name,
  options,
  isNarrow,
}: {
  name: CallFilter;
  options: readonly Option[];
  isNarrow?: boolean;
}) {
  const t = useTranslations("requests.filter");
  const value = useSearchParams().get(name) ?? "";
  const isKnown = value === "" || options.some((option) => option.value === value);
  return (
    <div className="grid min-w-0 gap-1">
      <Label htmlFor={`filter-${name}`} className="text-xs text-ink-faint">
        {t(name)}
      </Label>
      <NativeSelect
        id={`filter-${name}`}
        value={value}
        onChange={(event) => pushQueryParams({ [name]: event.target.value || null })}
        className={isNarrow ? "md:max-w-48" : undefined}
      >
        <option value="">{t("any")}</option>
        {isKnown ? null : <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </NativeSelect>
    </div>
  );
}
