"use client";

import { BoxesIcon, PlusIcon } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { SWRConfig } from "swr";
import { useFormatter, useTranslations } from "use-intl";
import { api, cachedIfWhole, callApi } from "@/lib/client/api";
import { pushQueryParams, setQueryParam } from "@/lib/client/query-params";
import { useApi } from "@/lib/client/use-api";
import { useLinkedDialog } from "@/lib/client/use-linked-dialog";
import type { ModelList as Listed, Model } from "@/lib/contracts/console/models";
import { CallError } from "../forms/call-error";
import { useItemChange } from "../forms/use-action";
import { FirstRows, NoSearchResults, ResultCount } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { lazyPart } from "../ui/lazy-part";
import { SearchField } from "../ui/search-field";
import { SegmentedControl } from "../ui/segmented-control";
import { useInputValue } from "../ui/use-input-value";
import type { ModelDialog } from "./model-dialogs";
import { ModelList, ModelListSkeleton } from "./model-list";
import type { ModelAction } from "./model-menu";

const REFRESH_MS = 10_000;

const CREATE: ModelDialog = { kind: "create" };

const ModelDialogs = lazyPart(() => import("./model-dialogs").then((one) => one.ModelDialogs));

/** The list of models. `first`: read on the server; of a long list its first page, shown until the others are loaded. */
export function ModelsPage({ first, isOwner }: { first: Listed; isOwner: boolean }) {
  return (
    <SWRConfig value={{ fallback: cachedIfWhole(api.listModels, first) }}>
      <Content first={first} isOwner={isOwner} />
    </SWRConfig>
  );
}

/** Models whose name or alias contains the text; `operation` empty: all operations. */
function filterModels(models: readonly Model[], q: string, operation: string): Model[] {
  const text = q.trim().toLowerCase();
  return models.filter(
    (model) =>
      (operation === "" || model.operation === operation) &&
      [model.name, ...model.aliases].some((name) => name.toLowerCase().includes(text)),
  );
}

/**
 * Polls while a circuit is not closed, in milliseconds; else 0. No event tells the end of the wait of an open circuit,
 * nor, without Redis, a change in another process.
 */
export const refreshIntervalOf = (
  list: { items: readonly { channels: readonly Pick<Model["channels"][number], "state">[] }[] } | undefined,
): number =>
  list?.items.some((model) => model.channels.some((one) => one.state !== "closed")) ? REFRESH_MS : 0;

function Content({ first, isOwner }: { first: Listed; isOwner: boolean }) {
  const t = useTranslations("models");
  const params = useSearchParams();
  const q = params.get("q") ?? "";
  const operation = params.get("operation") ?? "";
  const { data: all, error, mutate } = useApi(api.listModels, {}, { refreshInterval: refreshIntervalOf });
  const { items: models, price_list_date: priceListDate } = all ?? first;
  const isFiltered = q !== "" || operation !== "";
  const shown = all || !isFiltered ? filterModels(models, q, operation) : undefined;
  const { dialog, openDialog, closeDialog, act, editRouted } = useModelDialog(models);
  const toggle = useToggle(mutate);
  const reload = () => void mutate();

  const createButton = (
    <Button onClick={() => openDialog(CREATE)}>
      <PlusIcon aria-hidden="true" />
      {t("create")}
    </Button>
  );
  return (
    <div className="mx-auto max-w-page">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={
          <div className="flex flex-wrap gap-2">
            {isOwner ? (
              <Button asChild variant="outline">
                <Link prefetch={false} href="/models/local-voices">
                  {t("localVoices")}
                </Link>
              </Button>
            ) : null}
            {models.length > 0 ? createButton : null}
          </div>
        }
      />
      {models.length > 0 ? <Filters q={q} operation={operation} /> : null}
      <ResultCount query={`${operation} ${q}`} rows={isFiltered ? shown : undefined} hasMore={false} />
      {error && !all ? <CallError error={error} onRetry={reload} className="mb-4" /> : null}
      {!shown ? (
        error ? null : (
          <ModelListSkeleton />
        )
      ) : shown.length > 0 ? (
        <div className="grid gap-4">
          <FirstRows items={shown}>
            {(rows) => <ModelList models={rows} onAction={act} onToggle={toggle} />}
          </FirstRows>
          <PriceDate date={priceListDate} />
        </div>
      ) : models.length > 0 ? (
        <NoSearchResults title={t("noMatch.title")} text={t("noMatch.text")} onClear={clearFilters} />
      ) : (
        <NoModels />
      )}
      {dialog ? (
        <ModelDialogs
          dialog={dialog}
          priceListDate={priceListDate}
          onChanged={reload}
          onEdit={editRouted}
          onNewest={(model) => openDialog({ kind: "edit", model })}
          onClose={closeDialog}
        />
      ) : null}
    </div>
  );
}

/** The open dialog: chosen on the page, else the route named by the page's URL. */
function useModelDialog(models: readonly Model[]) {
  const params = useSearchParams();
  const [chosen, openDialog] = useLinkedDialog("create", CREATE);
  const routeOf = params.get("model");
  const routed = models.find((one) => one.name === routeOf || one.aliases.some((alias) => alias === routeOf));
  const route: ModelDialog | null = routeOf ? { kind: "route", name: routeOf } : null;
  return {
    dialog: chosen ?? route,
    openDialog,
    closeDialog: () => {
      openDialog(null);
      setQueryParam("model", null);
    },
    act: (action: ModelAction, model: Model) => {
      if (action === "route") setQueryParam("model", model.name);
      else openDialog({ kind: action, model });
    },
    editRouted: routed
      ? () => {
          setQueryParam("model", null);
          openDialog({ kind: "edit", model: routed });
        }
      : null,
  };
}

/** Enables or disables a model. */
function useToggle(reload: () => Promise<unknown>) {
  const named = useTranslations("common.named");
  const save = useItemChange(reload);
  return ({ name, version }: Model, enabled: boolean) =>
    save(
      callApi(api.updateModel, { params: { model: name }, body: { enabled, version } }),
      named(enabled ? "enabled" : "disabled", { name }),
      named("stale", { name }),
    );
}

function clearFilters(): void {
  pushQueryParams({ q: null, operation: null });
}

function PriceDate({ date }: { date: string }) {
  const t = useTranslations("models");
  const format = useFormatter();
  return (
    <p className="text-sm text-ink-faint">
      {t("priceDate", {
        date: format.dateTime(new Date(`${date}T00:00:00Z`), {
          dateStyle: "medium",
          timeZone: "UTC",
        }),
      })}
    </p>
  );
}

/** Shown while no channel offers a model. */
function NoModels() {
  const t = useTranslations("models");
  return (
    <EmptyState
      icon={<BoxesIcon />}
      title={t("empty.title")}
      action={
        <Button asChild>
          <Link href="/channels/new">{t("empty.action")}</Link>
        </Button>
      }
    >
      {t("empty.text")}
    </EmptyState>
  );
}

function Filters({ q, operation }: { q: string; operation: string }) {
  const t = useTranslations("models");
  const { shown, change } = useInputValue(operation, (next) => pushQueryParams({ operation: next }));
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField
        label={t("search")}
        value={q}
        onValueChange={(text) => setQueryParam("q", text)}
        className="w-full"
      />
      <SegmentedControl
        label={t("table.operation")}
        value={shown}
        onValueChange={change}
        segments={[
          { value: "", label: t("all") },
          { value: "speech", label: t("operation.speech") },
          { value: "embeddings", label: t("operation.embeddings") },
        ]}
      />
    </div>
  );
}
