"use client";

import Link from "next/link";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { type ChannelDraft, type Preset, servedRows } from "@/components/channels/channel-draft";
import { useUnsaved } from "@/lib/client/unsaved";
import type { Channel, Provider } from "@/lib/contracts/console/channels";
import { CallError } from "../../forms/call-error";
import { Field } from "../../forms/field";
import { Form } from "../../forms/form";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { Notice } from "../../ui/notice";
import { AdvancedFields } from "./advanced-fields";
import { ConnectionNote } from "./connection-note";
import { FormStep } from "./form-step";
import { KeyFields } from "./key-fields";
import { ModelPicker } from "./model-picker";
import { ProviderCards } from "./provider-cards";
import { type ChannelForm as FormState, useChannelForm } from "./use-channel-form";

const URL_PLACEHOLDER: Readonly<Record<string, string>> = {
  compatible: "http://127.0.0.1:8880/v1",
  azure: "https://my-resource.openai.azure.com",
};

/** The form of a new channel (`before` null) or of one that is changed: what it is, where, which models, its name. */
export function ChannelForm({
  before,
  draft,
  isStale,
  mayAllow,
  cancelTo,
  onSave,
}: {
  before: Channel | null;
  draft?: ChannelDraft;
  /** The channel was changed elsewhere since it was read. */
  isStale?: boolean;
  /** Whether the visitor may allow private addresses. */
  mayAllow: boolean;
  cancelTo: string;
  onSave(draft: ChannelDraft): Promise<void>;
}) {
  const t = useTranslations("channels.form");
  const common = useTranslations("common");
  const form = useChannelForm(before?.id ?? null, draft);
  useUnsaved(form.isDirty, before ? t("editTitle", { name: before.name }) : t("createTitle"));
  const [isBusy, setBusy] = useState(false);
  const isEmbedded = before?.embedded === true;
  const isPicked = form.draft.preset !== null;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !form.check()) return;
    setBusy(true);
    form.setError(null);
    try {
      await onSave(form.draft);
    } catch (failure) {
      form.show(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Form onSubmit={(event) => void save(event)} noValidate className="grid gap-8">
      {isStale ? (
        <Notice tone="warn" isLive>
          {t("stale")}
        </Notice>
      ) : null}
      {isEmbedded ? <Notice tone="info">{t("embedded")}</Notice> : null}
      {before === null ? <ProviderStep form={form} /> : null}
      {isPicked && !isEmbedded ? (
        <>
          <ConnectionStep form={form} isNew={before === null} mayAllow={mayAllow} />
          <FormStep title={t("models")} text={t("modelsText")}>
            <ModelPicker form={form} channelId={before?.id ?? null} />
          </FormStep>
        </>
      ) : null}
      {isPicked ? (
        <>
          <div className="grid gap-6 border-t pt-6">
            <Field label={t("name")} hint={t("nameHint")} error={form.faults.name} className="max-w-xl">
              {(control) => (
                <Input
                  {...control}
                  value={form.draft.name}
                  onChange={(event) => form.change({ name: event.target.value, isNameOwn: true })}
                  autoComplete="off"
                />
              )}
            </Field>
            <AdvancedFields
              draft={form.draft}
              faults={form.faults}
              onChange={form.change}
              isOpen={form.showsAdvanced}
              onOpen={form.setShowsAdvanced}
              hasUpstream={!isEmbedded}
            />
          </div>
          <CallError error={form.error} />
          <div className="flex flex-wrap items-center justify-end gap-2">
            {!isEmbedded && servedRows(form.draft).length === 0 ? (
              <p className="mr-auto text-sm text-ink-muted">{t("nothingTicked")}</p>
            ) : null}
            <Button variant="outline" asChild>
              <Link href={cancelTo}>{common("cancel")}</Link>
            </Button>
            <Button type="submit" isBusy={isBusy}>
              {before ? common("save") : t("save")}
            </Button>
          </div>
        </>
      ) : null}
    </Form>
  );
}

function ProviderStep({ form }: { form: FormState }) {
  const t = useTranslations("channels.form");
  const pick = (preset: Preset, provider: Provider, name: string) => {
    form.pick(preset, provider, name);
    // The next question appears with this press; its first empty field takes the focus.
    requestAnimationFrame(focusConnection);
  };
  return (
    <FormStep title={t("provider")}>
      <ProviderCards picked={form.draft.preset} onPick={pick} />
    </FormStep>
  );
}

/** The address where there is none yet, else the key. */
function focusConnection(): void {
  const address = document.querySelector<HTMLInputElement>("[data-address-field]");
  const key = document.querySelector<HTMLInputElement>("[data-key-field]");
  (address?.value === "" || !key ? address : key)?.focus();
}

function ConnectionStep({ form, isNew, mayAllow }: { form: FormState; isNew: boolean; mayAllow: boolean }) {
  const t = useTranslations("channels.form");
  const { draft, connection } = form;
  // Enter asks; once the answer is there, Enter saves.
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || connection.kind === "listed" || connection.kind === "no-list") return;
    event.preventDefault();
    ask();
  };
  const ask = () => {
    void form.ask();
  };
  const isListed = connection.kind === "listed";
  return (
    <FormStep title={t("connection")}>
      <div className="grid max-w-xl gap-4">
        <Field
          label={t("baseUrl")}
          hint={t(isNew ? "baseUrlHint" : "baseUrlChange")}
          error={form.faults.base_url}
        >
          {(control) => (
            <Input
              {...control}
              type="url"
              inputMode="url"
              data-address-field=""
              value={draft.baseUrl}
              placeholder={URL_PLACEHOLDER[draft.preset ?? ""]}
              onChange={(event) => form.change({ baseUrl: event.target.value })}
              onKeyDown={onEnter}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
        <KeyFields
          keys={draft.keys}
          fault={form.faults.keys}
          onChange={(keys) => form.change({ keys })}
          onEnter={onEnter}
        />
        <div className="grid gap-3">
          <Button
            variant={isListed || !isNew ? "outline" : "primary"}
            className="w-fit"
            isBusy={connection.kind === "busy"}
            onClick={ask}
          >
            {t(isListed ? "reconnect" : "connect")}
          </Button>
          <ConnectionNote
            connection={connection}
            baseUrl={draft.baseUrl.trim()}
            mayAllow={mayAllow}
            onAllowed={() => {
              // The field of the password goes with its question.
              focusConnection();
              ask();
            }}
          />
        </div>
      </div>
    </FormStep>
  );
}
