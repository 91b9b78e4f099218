"use client";

import { PlusIcon, SearchIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { draftRequest, type ModelRow as Row, rowId } from "@/components/channels/channel-draft";
import { api } from "@/lib/client/api";
import { useModels } from "@/lib/client/channels";
import type { ChannelTest } from "@/lib/contracts/console/channels";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { useTestCalls } from "../use-test-call";
import { ModelRow } from "./model-row";
import type { ChannelForm } from "./use-channel-form";

/** Shows the filter only where there is something to filter. */
const FILTER_FROM = 9;

/** The models of the upstream: those that can be served first, the rest folded. */
export function ModelPicker({ form, channelId }: { form: ChannelForm; channelId: string | null }) {
  const t = useTranslations("channels.form");
  const { draft, setDraft, faults } = form;
  const [filter, setFilter] = useState("");
  const { tests, run } = useTestCalls();
  const models = useModels().data?.items ?? [];
  const matches = (row: Row) =>
    row.isOwn || `${row.upstream} ${row.name}`.toLowerCase().includes(filter.trim().toLowerCase());
  const shown = draft.models.filter(matches);
  const able = shown.filter((row) => row.isOn || row.isOwn || row.operation !== null);
  const others = shown.filter((row) => !able.includes(row));

  const add = () => {
    const row: Row = { id: rowId(), upstream: "", name: "", operation: null, isOn: true, isOwn: true };
    setDraft((now) => ({ ...now, models: [...now.models, row] }));
  };
  const test = ({ id, upstream, operation }: Row) => {
    if (operation === null) return;
    const body = { ...draftRequest(draft, channelId), model: { upstream_name: upstream.trim(), operation } };
    void run(id, () => api.post<ChannelTest>("/api/channels/draft/test", body));
  };
  const sharedWith = (row: Row) =>
    (models.find((model) => model.name === row.name.trim())?.channels ?? [])
      .filter((channel) => channel.id !== channelId)
      .map((channel) => channel.name);
  const list = (rows: readonly Row[]) => (
    <ul className="divide-y rounded-md border bg-panel">
      {rows.map((row) => (
        <ModelRow
          key={row.id}
          row={row}
          number={draft.models.indexOf(row) + 1}
          fault={faults[row.id]}
          sharedWith={sharedWith(row)}
          test={tests.get(row.id)}
          onChange={(patch) => form.changeRow(row.id, patch)}
          onRemove={() =>
            setDraft((now) => ({ ...now, models: now.models.filter((one) => one.id !== row.id) }))
          }
          onTest={() => test(row)}
        />
      ))}
    </ul>
  );

  return (
    <div className="grid gap-3">
      {draft.models.length >= FILTER_FROM ? (
        <div className="relative max-w-xs">
          <SearchIcon
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
          />
          <Input
            type="search"
            aria-label={t("filter")}
            placeholder={t("filter")}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="pl-9"
          />
        </div>
      ) : null}
      {able.length > 0 ? (
        <div className="grid gap-1.5">
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
          {list(able)}
        </div>
      ) : null}
      {others.length > 0 ? (
        <details className="group grid gap-2" open={filter.trim() !== "" || undefined}>
          <summary className="w-fit rounded-sm text-sm text-ink-muted hover:text-ink">
            {t("others", { count: others.length })}
          </summary>
          <div className="pt-2">{list(others)}</div>
        </details>
      ) : null}
      <Button variant="outline" size="sm" className="w-fit" onClick={add}>
        <PlusIcon aria-hidden="true" />
        {t("addByHand")}
      </Button>
      {faults.models ? (
        <p role="alert" className="text-sm text-bad">
          {faults.models}
        </p>
      ) : null}
    </div>
  );
}
