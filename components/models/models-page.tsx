"use client";

import { BoxesIcon, PlusIcon, SearchIcon } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useState } from "react";
import { SWRConfig } from "swr";
import { useFormatter, useTranslations } from "use-intl";
import { api, cached, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { setQueryParam } from "@/lib/client/query-params";
import { useApi } from "@/lib/client/use-api";
import type { ModelList as Listed, Model } from "@/lib/contracts/gateway/models";
import { CallError, useErrorText } from "../forms/call-error";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { SearchField } from "../ui/search-field";
import { SegmentedControl } from "../ui/segmented-control";
import { toast } from "../ui/toast";
import type { ModelDialog } from "./model-dialogs";
import { ModelList, ModelListSkeleton } from "./model-list";
import type { ModelAction } from "./model-menu";

const REFRESH_MS = 3_000;

const ModelDialogs = dynamic(() => import("./model-dialogs").then((one) => one.ModelDialogs), { ssr: false });

/** The list of models. `first`: data read on the server. */
export function ModelsPage({ first, isOwner }: { first: Listed; isOwner: boolean }) {
  return (
    <SWRConfig value={{ fallback: cached(api.listModels, {}, first) }}>
      <Content isOwner={isOwner} />
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

/** Polls while a channel is not healthy: waits of circuits end without an event. */
const refreshIntervalOf = (list: Listed | undefined): number =>
  list?.items.some((model) => model.channels.some((one) => one.state !== "closed")) ? REFRESH_MS : 0;

function Content({ isOwner }: { isOwner: boolean }) {
  const t = useTranslations("models");
  const errorText = useErrorText();
  const params = useSearchParams();
  const q = params.get("q") ?? "";
  const operation = params.get("operation") ?? "";
  const routeOf = params.get("model");
  const { data, error, mutate } = useApi(api.listModels, {}, { refreshInterval: refreshIntervalOf });
  const [dialog, setDialog] = useState<ModelDialog | null>(null);
  const models = data?.items;
  const shown = models && filterModels(models, q, operation);
  const open: ModelDialog | null =
    dialog ??
    (routeOf ? { kind: "route", name: routeOf } : params.get("create") === "1" ? { kind: "create" } : null);
  const reload = () => void mutate();

  const toggle = async (model: Model, enabled: boolean) => {
    try {
      const body = { enabled, version: model.version };
      await callApi(api.updateModel, { params: { model: model.name }, body });
      toast.success(t(enabled ? "enabled" : "disabled", { name: model.name }));
    } catch (failure) {
      const isStale = isApiError(failure, "conflict");
      toast.error(isStale ? t("stale", { name: model.name }) : errorText(failure).message);
    }
    await mutate();
  };
  const act = (action: ModelAction, model: Model) => {
    if (action === "route") setQueryParam("model", model.name);
    else setDialog({ kind: action, model });
  };
  const edit = (name: string) => {
    const model = models?.find((one) => one.name === name || one.aliases.includes(name));
    setQueryParam("model", null);
    if (model) setDialog({ kind: "edit", model });
  };

  const createButton = (
    <Button onClick={() => setQueryParam("create", "1")}>
      <PlusIcon aria-hidden="true" />
      {t("create")}
    </Button>
  );
  return (
    <div className="mx-auto max-w-page">
      <Header isOwner={isOwner} createButton={models?.length ? createButton : null} />
      {models && models.length > 0 ? <Filters q={q} operation={operation} /> : null}
      {error && !models ? (
        <CallError error={error} onRetry={reload} />
      ) : !models || !shown ? (
        <ModelListSkeleton />
      ) : shown.length > 0 ? (
        <div className="grid gap-4">
          <ModelList models={shown} onAction={act} onToggle={(model, on) => void toggle(model, on)} />
          <PriceDate data={data} />
        </div>
      ) : models.length > 0 ? (
        <NoMatch />
      ) : (
        <NoModels />
      )}
      {open ? (
        <ModelDialogs
          dialog={open}
          priceListDate={data?.price_list_date ?? null}
          onChanged={reload}
          onEdit={edit}
          onNewest={(model) => setDialog({ kind: "edit", model })}
          onClose={() => {
            setDialog(null);
            setQueryParam("model", null);
            setQueryParam("create", null);
          }}
        />
      ) : null}
    </div>
  );
}

/** When the list of prices was published. */
function PriceDate({ data }: { data: Listed }) {
  const t = useTranslations("models");
  const format = useFormatter();
  return (
    <p className="text-sm text-ink-faint">
      {t("priceDate", {
        date: format.dateTime(new Date(`${data.price_list_date}T00:00:00Z`), {
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

/** The page's title, its link to local voices and the button for a new model. */
function Header({ isOwner, createButton }: { isOwner: boolean; createButton: ReactNode }) {
  const t = useTranslations("models");
  return (
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
          {createButton}
        </div>
      }
    />
  );
}

function Filters({ q, operation }: { q: string; operation: string }) {
  const t = useTranslations("models");
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
        value={operation}
        onValueChange={(next) => setQueryParam("operation", next)}
        segments={[
          { value: "", label: t("all") },
          { value: "speech", label: t("operation.speech") },
          { value: "embeddings", label: t("operation.embeddings") },
        ]}
      />
    </div>
  );
}

function NoMatch() {
  const t = useTranslations("models.noMatch");
  return (
    <EmptyState
      icon={<SearchIcon />}
      title={t("title")}
      action={
        <Button
          variant="outline"
          onClick={() => {
            setQueryParam("q", null);
            setQueryParam("operation", null);
          }}
        >
          {t("clear")}
        </Button>
      }
    >
      {t("text")}
    </EmptyState>
  );
}
