"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { Skeleton } from "../ui/skeleton";
import { OwnerOnly } from "./form-section";
import { SearchedSection } from "./search";
import { useSettingsPage, WhileShown } from "./settings-page-context";

const UpstreamDialog = dynamic(() => import("./upstream-dialogs").then((one) => one.UpstreamDialog), {
  ssr: false,
});
const RevokeDialog = dynamic(() => import("./upstream-dialogs").then((one) => one.RevokeDialog), {
  ssr: false,
});

/** Private hosts that channels may reach; only the owner adds and revokes them. */
export function PrivateUpstreams() {
  const t = useTranslations("settings.upstreams");
  const { isOwner } = useSettingsPage();
  const { data, error, mutate } = useApi(api.listAllowedUpstreams);
  const [dialog, setDialog] = useState<"add" | { revoke: string } | null>(null);
  return (
    <SearchedSection title={t("title")} text={t("text")} status={isOwner ? null : <OwnerOnly />}>
      <div className="grid gap-4">
        {error && !data ? (
          <CallError error={error} onRetry={() => void mutate()} />
        ) : !data ? (
          <Skeleton className="h-11" />
        ) : data.targets.length === 0 ? (
          <p>{t("empty")}</p>
        ) : (
          <ul className="divide-y rounded-md border bg-panel">
            {data.targets.map((target) => (
              <li key={target} className="flex min-h-11 items-center justify-between gap-3 py-1 pr-1 pl-4">
                <code className="min-w-0 break-all">{target}</code>
                {isOwner ? (
                  <Button
                    variant="ghost"
                    size="sm"
                    aria-label={t("revokeNamed", { target })}
                    onClick={() => setDialog({ revoke: target })}
                  >
                    {t("revoke")}
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
        )}
        <p className="max-w-prose text-sm text-ink-muted">{t("environment")}</p>
        {isOwner ? (
          <Button variant="outline" className="w-fit" onClick={() => setDialog("add")}>
            {t("add")}
          </Button>
        ) : null}
      </div>
      <WhileShown onHide={() => setDialog(null)}>
        {dialog === "add" ? (
          <UpstreamDialog onClose={() => setDialog(null)} />
        ) : dialog ? (
          <RevokeDialog target={dialog.revoke} onClose={() => setDialog(null)} />
        ) : null}
      </WhileShown>
    </SearchedSection>
  );
}
