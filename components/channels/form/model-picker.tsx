"use client";

import { PlusIcon } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { nextRowId, type ModelRow as Row } from "@/components/channels/channel-draft";
import { draftRequest } from "@/components/channels/channel-request";
import { api, callApi } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { FormAlert } from "../../forms/field";
import { Button } from "../../ui/button";
import { SearchField } from "../../ui/search-field";
import { ModelRow } from "./model-row";
import type { ChannelForm } from "./use-channel-form";

/** Number of models from which the filter is shown. */
const FILTER_FROM = 9;

/**
 * Changes and test calls of the form's models, and the other channels that serve the same public name. The functions
 * that a row gets stay the same, so that typing renders only the row that changes.
 */
function useModelRows({ draft, setDraft, changeRow, testCalls }: ChannelForm, channelId: string | null) {
  const { tests, run } = testCalls;
  const { data } = useApi(api.listModels);
  const known = useMemo(() => new Map(data?.items.map((model) => [model.name, model])), [data]);
  const newest = useRef(draft);
  useEffect(() => {
    newest.current = draft;
  });
  return {
    tests,
    change: changeRow,
    add: () => {
      const row: Row = {
        id: nextRowId(),
        upstream: "",
        name: "",
        operation: null,
        isOn: true,
        isManual: true,
      };
      setDraft((now) => ({ ...now, models: [...now.models, row] }));
    },
    remove: useCallback(
      (id: string) => setDraft((now) => ({ ...now, models: now.models.filter((one) => one.id !== id) })),
      [setDraft],
    ),
    test: useCallback(
      ({ id, upstream, operation }: Row) => {
        if (operation === null) return;
        const body = {
          ...draftRequest(newest.current, channelId),
          model: { upstream_name: upstream.trim(), operation },
        };
        void run(id, () => callApi(api.testDraft, { body }));
      },
      [run, channelId],
    ),
    sharedWith: (row: Row) =>
      (known.get(row.name.trim())?.channels ?? [])
        .filter((channel) => channel.id !== channelId)
        .map((channel) => channel.name)
        .join(", "),
  };
}

/** The upstream's models: those with a known operation first, the rest collapsed. */
export function ModelPicker({ form, channelId }: { form: ChannelForm; channelId: string | null }) {
  const t = useTranslations("channels.form");
  const { draft, fieldErrors } = form;
  const [filter, setFilter] = useState("");
  const models = useModelRows(form, channelId);
  const matches = (row: Row) =>
    row.isManual || `${row.upstream} ${row.name}`.toLowerCase().includes(filter.trim().toLowerCase());
  const shown = draft.models.filter(matches);
  const supported = shown.filter((row) => row.isOn || row.isManual || row.operation !== null);
  const others = shown.filter((row) => !supported.includes(row));

  return (
    <div className="grid gap-3">
      {draft.models.length >= FILTER_FROM ? (
        <SearchField label={t("filter")} value={filter} onValueChange={setFilter} className="max-w-xs" />
      ) : null}
      {supported.length > 0 ? (
        <div className="grid gap-1.5">
          <ColumnHeadings />
          <ModelRows rows={supported} form={form} models={models} />
        </div>
      ) : null}
      {others.length > 0 ? (
        <details className="group grid gap-2" open={filter.trim() !== "" || undefined}>
          <summary className="w-fit rounded-sm text-sm text-ink-muted hover:text-ink">
            {t("others", { count: others.length })}
          </summary>
          <div className="pt-2">
            <ModelRows rows={others} form={form} models={models} />
          </div>
        </details>
      ) : null}
      <Button variant="outline" size="sm" className="w-fit" onClick={models.add}>
        <PlusIcon aria-hidden="true" />
        {t("addByHand")}
      </Button>
      <FormAlert error={fieldErrors.models} />
    </div>
  );
}

function ModelRows({
  rows,
  form: { draft, fieldErrors },
  models: { tests, change, remove, test, sharedWith },
}: {
  rows: readonly Row[];
  form: ChannelForm;
  models: ReturnType<typeof useModelRows>;
}) {
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {rows.map((row) => (
        <ModelRow
          key={row.id}
          row={row}
          number={draft.models.indexOf(row) + 1}
          error={fieldErrors[row.id]}
          sharedWith={sharedWith(row)}
          test={tests.get(row.id)}
          onChange={change}
          onRemove={remove}
          onTest={test}
        />
      ))}
    </ul>
  );
}

/** The headings above the models, on wide screens. */
function ColumnHeadings() {
  const t = useTranslations("channels.form");
  return (
    <div
      aria-hidden="true"
      className="hidden grid-cols-[auto_minmax(0,1fr)_minmax(0,1fr)_9rem_auto] gap-x-3 px-3 text-xs text-ink-faint md:grid"
    >
      <span className="w-4" />
      <span>{t("upstreamName")}</span>
      <span>{t("publicName")}</span>
      <span>{t("operation")}</span>
      <span className="w-14" />
    </div>
  );
}
