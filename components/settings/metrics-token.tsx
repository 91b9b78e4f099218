"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { RelativeTime } from "../ui/relative-time";
import { OwnerOnly } from "./form-section";
import { SearchedSection } from "./search";
import { useSettingsPage, WhileShown } from "./settings-page-context";

const MetricsDialog = dynamic(() => import("./metrics-dialogs").then((one) => one.MetricsDialog), {
  ssr: false,
});
const RemoveTokenDialog = dynamic(() => import("./metrics-dialogs").then((one) => one.RemoveTokenDialog), {
  ssr: false,
});

/** The token that protects /metrics; the owner can generate, rotate and remove it. */
export function MetricsToken() {
  const t = useTranslations("settings.metrics");
  const { facts, isOwner } = useSettingsPage();
  const [dialog, setDialog] = useState<"generate" | "remove" | null>(null);
  const { token, made_at } = facts.metrics;
  return (
    <SearchedSection title={t("title")} text={t("text")} status={isOwner ? null : <OwnerOnly />}>
      <div className="grid gap-4">
        <p className="max-w-prose">
          {token === "environment" ? (
            t("environment")
          ) : made_at === null ? (
            t("none")
          ) : (
            <RelativeTime at={made_at} phrase={(when) => t("console", { when })} />
          )}
        </p>
        {isOwner && token !== "environment" ? (
          <div className="flex flex-wrap gap-2">
            <Button variant="outline" onClick={() => setDialog("generate")}>
              {token === null ? t("generate") : t("rotate")}
            </Button>
            {token === null ? null : (
              <Button variant="ghost" onClick={() => setDialog("remove")}>
                {t("remove")}
              </Button>
            )}
          </div>
        ) : null}
      </div>
      <WhileShown onHide={() => setDialog(null)}>
        {dialog === "generate" ? (
          <MetricsDialog isFirst={token === null} onClose={() => setDialog(null)} />
        ) : dialog === "remove" ? (
          <RemoveTokenDialog onClose={() => setDialog(null)} />
        ) : null}
      </WhileShown>
    </SearchedSection>
  );
}
