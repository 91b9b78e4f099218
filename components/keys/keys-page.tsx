"use client";

import { KeyRoundIcon, PlusIcon, SearchIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { putInAddress } from "@/lib/client/address";
import { api } from "@/lib/client/api";
import { useKeys } from "@/lib/client/keys";
import type { ApiKey } from "@/lib/contracts/keys";
import { CallError } from "../forms/call-error";
import { useErrorText } from "../forms/error-text";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { Input } from "../ui/input";
import type { KeyDialog } from "./key-dialogs";
import { KeyList, KeyListSkeleton } from "./key-list";
import type { KeyAction } from "./key-menu-trigger";

const KeyDialogs = dynamic(() => import("./key-dialogs").then((one) => one.KeyDialogs), { ssr: false });

/** Shows the search field only where there is something to search. */
const SEARCH_FROM = 6;

export function KeysPage({
  userId,
  mayManage,
  hidesBudgets,
}: {
  userId: string;
  mayManage: boolean;
  hidesBudgets: boolean;
}) {
  const t = useTranslations("keys");
  const tell = useErrorText();
  const address = useSearchParams();
  const q = address.get("q") ?? "";
  const [dialog, setDialog] = useState<KeyDialog | null>(null);
  const { keys, hasMore, loadMore, isLoadingMore, error, reload } = useKeys(q);
  const shown = address.get("create") === "1" && !dialog ? ({ kind: "create" } as const) : dialog;

  const act = (action: KeyAction, key: ApiKey) => {
    if (action === "enable") void enable(key);
    else setDialog({ kind: action, key });
  };
  const enable = async (key: ApiKey) => {
    try {
      await api.patch(`/api/keys/${key.id}`, { enabled: true, version: key.version });
      toast.success(t("enabled", { name: key.name }));
    } catch (failure) {
      toast.error(tell(failure).message);
    }
    await reload();
  };

  const createButton = (
    <Button onClick={() => putInAddress("create", "1")}>
      <PlusIcon aria-hidden="true" />
      {t("create")}
    </Button>
  );
  return (
    <div className="mx-auto max-w-page">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={keys?.length || q ? createButton : null}
      />
      {q !== "" || (keys && keys.length >= SEARCH_FROM) ? (
        <div className="relative mb-4 max-w-xs">
          <SearchIcon
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
          />
          <Input
            type="search"
            aria-label={t("search")}
            placeholder={t("search")}
            value={q}
            onChange={(event) => putInAddress("q", event.target.value)}
            className="pl-9"
          />
        </div>
      ) : null}
      {error && !keys ? (
        <CallError error={error} onRetry={() => void reload()} />
      ) : !keys ? (
        <KeyListSkeleton />
      ) : keys.length > 0 ? (
        <div className="grid gap-4">
          <KeyList keys={keys} userId={userId} onAction={act} />
          {hasMore ? (
            <Button
              variant="outline"
              className="mx-auto"
              isBusy={isLoadingMore}
              onClick={() => void loadMore()}
            >
              {t("more")}
            </Button>
          ) : null}
        </div>
      ) : q !== "" ? (
        <EmptyState
          icon={<SearchIcon />}
          title={t("noMatch.title", { q })}
          action={
            <Button variant="outline" onClick={() => putInAddress("q", null)}>
              {t("noMatch.clear")}
            </Button>
          }
        >
          {t("noMatch.text")}
        </EmptyState>
      ) : (
        <EmptyState icon={<KeyRoundIcon />} title={t("empty.title")} action={createButton}>
          {t("empty.text")}
        </EmptyState>
      )}
      {shown ? (
        <KeyDialogs
          dialog={shown}
          mayManage={mayManage}
          hidesBudgets={hidesBudgets}
          onChanged={() => void reload()}
          onDialog={(next) => {
            setDialog(next);
            putInAddress("create", null);
          }}
        />
      ) : null}
    </div>
  );
}
