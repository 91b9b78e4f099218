"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { Textarea } from "../ui/input";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { RelativeTime } from "../ui/relative-time";
import { Skeleton } from "../ui/skeleton";
import { OwnerOnly } from "./fields";
import { FormSection } from "./form-section";
import { SearchedField, SearchedSection } from "./search";
import { useSettingsPage, WhileShown } from "./settings-page-context";
import { useSettingsForm } from "./use-settings-form";

const UpstreamDialog = lazyPart(() => import("./upstream-dialogs").then((one) => one.UpstreamDialog));
const RevokeDialog = lazyPart(() => import("./upstream-dialogs").then((one) => one.RevokeDialog));
const MetricsDialog = lazyPart(() => import("./metrics-dialogs").then((one) => one.MetricsDialog));
const NewTokenDialog = lazyPart(() => import("./metrics-dialogs").then((one) => one.NewTokenDialog));
const RemoveTokenDialog = lazyPart(() => import("./metrics-dialogs").then((one) => one.RemoveTokenDialog));

export function NetworkSection() {
  return (
    <>
      <PrivateUpstreams />
      <Origins />
      <MetricsToken />
    </>
  );
}

/** Private hosts and ports that channels may reach; only the owner can add and revoke them. */
function PrivateUpstreams() {
  const t = useTranslations("settings.upstreams");
  const { facts, isOwner } = useSettingsPage();
  const { data, error, mutate } = useApi(api.listAllowedUpstreams);
  const [dialog, setDialog] = useState<"add" | { revoke: string } | null>(null);
  return (
    <SearchedSection title={t("title")} text={t("text")} status={isOwner ? null : <OwnerOnly />}>
      <div className="grid gap-4">
        {error && !data ? (
          <CallError error={error} onRetry={() => void mutate()} />
        ) : !data ? (
          <Skeleton className="h-11" />
        ) : data.targets.length + facts.upstream_allow.length === 0 ? (
          <p>{t("empty")}</p>
        ) : (
          <ul className="divide-y rounded-md border bg-panel">
            {facts.upstream_allow.map((target) => (
              <li key={target} className="flex min-h-11 items-center justify-between gap-3 px-4 py-1">
                <code className="min-w-0 break-all">{target}</code>
                <span className="text-right text-sm text-ink-muted">{t("environment")}</span>
              </li>
            ))}
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

const linesOf = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((line) => line.replace(/\/$/, ""))
    .filter((line) => line !== "");

const PLAN = {
  read: ({ cors_origins }: VersionedSettings) => ({ cors_origins: cors_origins.join("\n") }),
  write: (values: { cors_origins: string }) => ({ cors_origins: linesOf(values.cors_origins) }),
};

function Origins() {
  const t = useTranslations("settings");
  const form = useSettingsForm(PLAN);
  return (
    <FormSection
      form={form}
      title={t("origins.title")}
      text={t("origins.text")}
      formatText={(_name, text) => linesOf(text).join(", ") || t("value.none")}
    >
      <SearchedField texts={[t("field.cors_origins")]}>
        <Field label={t("field.cors_origins")} hint={t("origins.hint")} error={form.fieldErrors.cors_origins}>
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              className="font-mono"
              value={form.values.cors_origins}
              onChange={(event) => form.set("cors_origins", event.target.value)}
            />
          )}
        </Field>
      </SearchedField>
      {form.values.cors_origins.trim() === "" ? null : <Notice tone="warn">{t("origins.warn")}</Notice>}
    </FormSection>
  );
}

/** The token that protects /metrics; the owner can generate, rotate and remove it. */
function MetricsToken() {
  const t = useTranslations("settings.metrics");
  const { facts, isOwner } = useSettingsPage();
  const [dialog, setDialog] = useState<"generate" | "remove" | null>(null);
  const [newToken, setNewToken] = useState<string | null>(null);
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
          <MetricsDialog isFirst={token === null} onToken={setNewToken} onClose={() => setDialog(null)} />
        ) : dialog === "remove" ? (
          <RemoveTokenDialog onClose={() => setDialog(null)} />
        ) : null}
      </WhileShown>
      {newToken === null ? null : <NewTokenDialog token={newToken} onClose={() => setNewToken(null)} />}
    </SearchedSection>
  );
}
