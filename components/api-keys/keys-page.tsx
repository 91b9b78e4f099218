"use client";

import { KeyRoundIcon, PlusIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { SWRConfig } from "swr";
import { useFormatter, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { pushQueryParams, searchText, setQueryParam } from "@/lib/client/query-params";
import { cachedPages, useApiPages } from "@/lib/client/use-api-pages";
import { useLinkedDialog } from "@/lib/client/use-linked-dialog";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import type { ManagedUser, Viewer } from "@/lib/contracts/console/user";
import type { ListPage } from "@/lib/contracts/paging";
import { useAmounts } from "../charts/use-amounts";
import { RecordSelect } from "../forms/record-select";
import { useItemChange } from "../forms/use-action";
import { useSecretQueue } from "../forms/use-secret-queue";
import { ListBody, NoSearchResults } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { SearchField } from "../ui/search-field";
import type { KeyDialog, NewSecret } from "./key-dialogs";
import { KeyList } from "./key-list";
import type { KeyAction } from "./key-menu";
import { type KeyModel, playgroundHref } from "./playground-link";

type OwnLimits = Pick<ManagedUser, "rpm" | "tpm" | "concurrency" | "budget">;

/** The limits of all the viewer's keys together; renders nothing if there are none. */
export function OwnLimitsNotice({ limits }: { limits: OwnLimits }) {
  const t = useTranslations("apiKeys.ownLimits");
  const format = useFormatter();
  const { money } = useAmounts();
  const rates = (["rpm", "tpm", "concurrency"] as const).flatMap((name) => {
    const count = limits[name];
    return count === null ? [] : [t(name, { count })];
  });
  const budgets = (["daily_usd", "monthly_usd", "total_usd"] as const).flatMap((period) => {
    const amount = limits.budget[period];
    return amount === null ? [] : [t(period, { amount: money(Number(amount)) })];
  });
  const all = [...rates, ...budgets];
  if (all.length === 0) return null;
  return (
    <Notice tone="info" title={t("title")} className="mb-4">
      {t("text", { limits: format.list(all, { type: "conjunction", style: "narrow" }) })}
    </Notice>
  );
}

const KeyDialogs = lazyPart(() => import("./key-dialogs").then((one) => one.KeyDialogs));

const CREATE: KeyDialog = { kind: "create" };

/** Number of keys from which the search field is shown. */
const SEARCH_FROM = 6;

interface KeysPageProps {
  viewer: Viewer;
  /** The viewer may see other users' keys, and there are other users. */
  hasOthers: boolean;
  hidesBudgets: boolean;
  /** The limits an administrator set for all of the viewer's keys together. */
  ownLimits: OwnLimits;
  /** Every model that a key may be limited to. */
  models: readonly KeyModel[];
}

/** The first page of keys, read by the server for the filters in the page's URL. */
interface InitialApiKeys {
  q: string;
  /** `me`, a user's ID, or null for all owners. */
  owner: string | null;
  /** Null if the filters are invalid. */
  keys: ListPage<ApiKey> | null;
}

const inputOf = (q: string, owner: string | null) => ({ query: { q: searchText(q), owner_id: owner } });

/** The API keys that the viewer may see. */
export function KeysPage({ initial, ...props }: KeysPageProps & { initial: InitialApiKeys }) {
  const { q, owner, keys } = initial;
  return (
    <SWRConfig value={{ fallback: keys ? cachedPages(api.listKeys, inputOf(q, owner), keys) : {} }}>
      <Content {...props} />
    </SWRConfig>
  );
}

function Content({ viewer, hasOthers, hidesBudgets, ownLimits, models }: KeysPageProps) {
  const t = useTranslations("apiKeys");
  const params = useSearchParams();
  const q = params.get("q") ?? "";
  const owner = params.get("owner");
  const [dialog, setDialog] = useLinkedDialog("create", CREATE);
  const { secret, addSecret, closeSecret } = useSecretQueue<NewSecret>();
  const list = useApiPages(api.listKeys, inputOf(q, viewer.role === "member" ? null : owner));
  const keys = list.items;

  const act = useKeyActions(list.reload, models, setDialog);
  const createButton = (
    <Button onClick={() => setDialog(CREATE)}>
      <PlusIcon aria-hidden="true" />
      {t("create")}
    </Button>
  );
  return (
    <div className="mx-auto max-w-page">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={keys?.length || q || owner ? createButton : null}
      />
      <OwnLimitsNotice limits={ownLimits} />
      <div className="flex flex-wrap gap-3 not-empty:mb-4">
        {q !== "" || (keys && keys.length >= SEARCH_FROM) ? (
          <SearchField
            className="grow sm:grow-0 sm:basis-64"
            label={t("search")}
            value={q}
            onValueChange={(text) => setQueryParam("q", text)}
          />
        ) : null}
        {hasOthers ? <OwnerFilter viewerId={viewer.id} owner={owner} /> : null}
      </div>
      <ListBody
        list={list}
        isFiltered={searchText(q) !== null || Boolean(owner)}
        empty={<NoKeys q={q} owner={owner} createButton={createButton} />}
      >
        {(items) => (
          <KeyList
            keys={items}
            models={models}
            viewer={viewer}
            showsOwners={hasOthers && owner !== "me"}
            onAction={act}
          />
        )}
      </ListBody>
      {dialog || secret ? (
        <KeyDialogs
          dialog={dialog}
          secret={secret}
          viewerRole={viewer.role}
          hidesBudgets={hidesBudgets}
          modelNames={models.flatMap((model) => [model.name, ...model.aliases])}
          addresses={suggestedAddresses(keys ?? [])}
          onChanged={() => void list.reload()}
          onSecret={addSecret}
          onSecretClose={closeSecret}
          onDialog={setDialog}
        />
      ) : null}
    </div>
  );
}

/** Enables a key at once, or opens it in a playground; every other action opens a dialog. */
function useKeyActions(
  reload: () => Promise<unknown>,
  models: readonly KeyModel[],
  openDialog: (dialog: KeyDialog) => void,
) {
  const named = useTranslations("common.named");
  const save = useItemChange(reload);
  return (action: KeyAction, key: ApiKey) => {
    const { id, name, version } = key;
    if (action === "enable") {
      const body = { enabled: true, version };
      void save(callApi(api.updateKey, { params: { id }, body }), named("enabled", { name }));
    } else if (action === "try") window.location.assign(playgroundHref(key, models) ?? "/playground/speech");
    else openDialog({ kind: action, key });
  };
}

/** Loopback and the private ranges of RFC 1918. */
const PRIVATE_RANGES = ["127.0.0.1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];

function suggestedAddresses(keys: readonly ApiKey[]): string[] {
  return [...new Set([...keys.flatMap((key) => key.allowed_addresses), ...PRIVATE_RANGES])];
}

/** The empty state: of the search, of the owner filter, or without any key. */
function NoKeys({ q, owner, createButton }: { q: string; owner: string | null; createButton: ReactNode }) {
  const t = useTranslations("apiKeys");
  if (q !== "")
    return (
      <NoSearchResults
        title={t("noMatch.title", { q })}
        text={t("noMatch.text")}
        onClear={() => setQueryParam("q", null)}
      />
    );
  if (owner !== null && owner !== "me")
    return (
      <EmptyState
        icon={<KeyRoundIcon />}
        title={t("emptyOwner.title")}
        action={
          <Button variant="outline" onClick={() => pushQueryParams({ owner: null })}>
            {t("emptyOwner.clear")}
          </Button>
        }
      >
        {t("emptyOwner.text")}
      </EmptyState>
    );
  return (
    <EmptyState icon={<KeyRoundIcon />} title={t("empty.title")} action={createButton}>
      {t("empty.text")}
    </EmptyState>
  );
}

/** Filters keys by owner: all, the viewer's own, or one user's. The choice is the `owner` query parameter. */
function OwnerFilter({ viewerId, owner }: { viewerId: string; owner: string | null }) {
  const t = useTranslations("apiKeys.owner");
  return (
    <RecordSelect
      kind="users"
      label={t("label")}
      className="grow sm:w-56 sm:grow-0"
      value={owner ?? ""}
      onValueChange={(next) => pushQueryParams({ owner: next })}
      fixed={[
        { value: "", name: t("all") },
        { value: "me", name: t("mine") },
      ]}
      except={viewerId}
      unknownName={t("unknown")}
    />
  );
}
