"use client";

import { XIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import { AUDIT_GROUPS, type AuditGroup } from "@/components/audit/use-audit";
import { pushQueryParams, setQueryParam } from "@/lib/client/query-params";
import type { AuditRow } from "@/lib/contracts/console/audit";
import { RecordSelect } from "../forms/record-select";
import { Button } from "../ui/button";
import { FilterSelect, Input, Label, SelectOptions } from "../ui/input";
import { keepingFocus } from "../ui/keep-focus";
import { SearchField } from "../ui/search-field";
import { useInputValue } from "../ui/use-input-value";

const NAMES = ["q", "actor", "what", "time", "from", "to", "target"] as const;

/** Removes every filter from the URL. */
export function clearFilters(): void {
  pushQueryParams(Object.fromEntries(NAMES.map((name) => [name, null])));
}

/** The filters, which are part of the URL. `rows`: the rows on the page, which hold the names of deleted users. */
export function AuditFilters({ rows }: { rows: readonly AuditRow[] }) {
  const t = useTranslations("audit.filter");
  const address = useSearchParams();
  const get = (name: (typeof NAMES)[number]) => address.get(name) ?? "";
  const isFiltered = NAMES.some((name) => get(name) !== "");
  const target = get("target");
  const targetName = rows.find((row) => row.target === target)?.target_name ?? target;
  return (
    <div className="mb-4 grid gap-3">
      <div className="grid grid-cols-2 items-end gap-3 xl:grid-cols-[minmax(12rem,1fr)_12rem_13rem_11rem]">
        <Labelled label={t("search")} className="col-span-2 xl:col-span-1">
          {(id) => (
            <SearchField
              id={id}
              label={t("searchPlaceholder")}
              value={get("q")}
              onValueChange={(text) => setQueryParam("q", text)}
              className="sm:max-w-none"
            />
          )}
        </Labelled>
        <ActorChoice value={get("actor")} rows={rows} />
        <GroupChoice value={get("what")} />
        <TimeChoice value={get("time")} from={get("from")} to={get("to")} />
      </div>
      {isFiltered ? (
        <div className="flex flex-wrap items-center gap-2">
          {target ? (
            <Button
              variant="outline"
              size="sm"
              onClick={keepingFocus(() => pushQueryParams({ target: null }))}
            >
              <span className="max-w-64 truncate">{t("target", { name: targetName })}</span>
              <XIcon aria-hidden="true" />
              <span className="sr-only">{t("targetClear")}</span>
            </Button>
          ) : null}
          <Button variant="ghost" size="sm" onClick={keepingFocus(clearFilters)}>
            {t("clear")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Labelled({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children(id: string): ReactNode;
}) {
  const id = useId();
  return (
    <div className={className}>
      <Label htmlFor={id} className="mb-1 text-xs text-ink-faint">
        {label}
      </Label>
      {children(id)}
    </div>
  );
}

function ActorChoice({ value, rows }: { value: string; rows: readonly AuditRow[] }) {
  const t = useTranslations("audit.filter");
  const others = [
    ["", t("anyActor")],
    ["system", t("system")],
    ["admin-command", t("adminCommand")],
    ["anonymous", t("anonymous")],
  ] as const;
  return (
    <Labelled label={t("actor")}>
      {(id) => (
        <RecordSelect
          id={id}
          kind="users"
          label={t("actor")}
          value={value}
          onValueChange={(actor) => pushQueryParams({ actor })}
          fixed={others.map(([other, name]) => ({ value: other, name }))}
          unknownName={rows.find((row) => row.actor === value)?.actor_name ?? undefined}
        />
      )}
    </Labelled>
  );
}

function GroupChoice({ value }: { value: string }) {
  const t = useTranslations("audit");
  // Type assertion: `Object.keys` returns string[].
  const groups = Object.keys(AUDIT_GROUPS) as AuditGroup[];
  return (
    <Labelled label={t("filter.group")}>
      {(id) => (
        <FilterSelect id={id} value={value} onValueChange={(group) => pushQueryParams({ what: group })}>
          <option value="">{t("filter.anyGroup")}</option>
          <SelectOptions of={groups.map((group) => [group, t(`group.${group}`)])} />
        </FilterSelect>
      )}
    </Labelled>
  );
}

function TimeChoice({ value, from, to }: { value: string; from: string; to: string }) {
  const t = useTranslations("audit.filter");
  const choose = (time: string) =>
    pushQueryParams(time === "days" ? { time } : { time, from: null, to: null });
  return (
    <>
      <Labelled label={t("time")} className="col-span-2 xl:col-span-1">
        {(id) => (
          <FilterSelect id={id} value={value} onValueChange={choose}>
            <option value="">{t("anyTime")}</option>
            <option value="1h">{t("lastHour")}</option>
            <option value="24h">{t("lastDay")}</option>
            <option value="7d">{t("lastWeek")}</option>
            <option value="30d">{t("lastMonth")}</option>
            <option value="days">{t("days")}</option>
          </FilterSelect>
        )}
      </Labelled>
      {value === "days" ? (
        <div className="col-span-2 grid grid-cols-2 gap-3 xl:col-span-4 md:grid-cols-[11rem_11rem] md:justify-end">
          <DayField name="from" value={from} max={to || undefined} />
          <DayField name="to" value={to} min={from || undefined} />
        </div>
      ) : null}
    </>
  );
}

/** The first or the last day of a range. */
function DayField({
  name,
  value,
  ...input
}: {
  name: "from" | "to";
  value: string;
  min?: string;
  max?: string;
}) {
  const t = useTranslations("audit.filter");
  // A date is typed part by part, and each part may result in another date.
  const { shown, change } = useInputValue(value, (day) => setQueryParam(name, day));
  return (
    <Labelled label={t(name)}>
      {(id) => (
        <Input {...input} id={id} type="date" value={shown} onChange={({ target }) => change(target.value)} />
      )}
    </Labelled>
  );
}
