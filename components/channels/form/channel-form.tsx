"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import {
  type ChannelDraft,
  NAMED_PRESETS,
  type Preset,
  presetsOf,
  servedRows,
} from "@/components/channels/channel-draft";
import { api } from "@/lib/client/api";
import { discardUnsaved, useUnsaved } from "@/lib/client/unsaved";
import { useApi } from "@/lib/client/use-api";
import type { Channel, Provider } from "@/lib/contracts/console/channels";
import { CallError, SaveErrors } from "../../forms/call-error";
import { Form } from "../../forms/form";
import { TextField } from "../../forms/text-field";
import { useWhileMounted } from "../../forms/use-action";
import { Button } from "../../ui/button";
import { cn } from "../../ui/class-names";
import { Notice } from "../../ui/notice";
import { Skeleton } from "../../ui/skeleton";
import { ProviderMark } from "../provider-mark";
import { AdvancedFields } from "./advanced-fields";
import { ConnectionStep, focusConnection } from "./connection-step";
import { FormStep } from "./form-step";
import { ModelPicker } from "./model-picker";
import { type ChannelForm as FormState, useChannelForm } from "./use-channel-form";

/** The form of a new channel (`before` null) or a saved one: provider, connection, models, name, advanced settings. */
export function ChannelForm({
  before,
  draft,
  isStale = false,
  mayAllow,
  cancelTo,
  onSave,
}: {
  before: Channel | null;
  draft?: ChannelDraft;
  /** The channel was changed elsewhere while the form was open. */
  isStale?: boolean;
  /** Whether the user may allow private addresses. */
  mayAllow: boolean;
  cancelTo: string;
  /** Resolves to null once saved, or to a draft of the newest version if the channel was changed elsewhere. */
  onSave(draft: ChannelDraft): Promise<ChannelDraft | null>;
}) {
  const t = useTranslations("channels.form");
  const common = useTranslations("common");
  const form = useChannelForm(before?.id ?? null, draft);
  useUnsaved(form.isDirty, before ? common("named.edit", { name: before.name }) : t("createTitle"));
  const { isBusy, save } = useSave(form, onSave);
  const isEmbedded = before?.embedded === true;
  const isPicked = form.draft.preset !== null;

  return (
    <Form onSubmit={(event) => void save(event)} noValidate className="grid gap-8">
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
          <NameAndDetails form={form} channelId={before?.id ?? null} hasUpstream={!isEmbedded} />
          <SaveErrors error={form.error} isStale={isStale} stale={t("stale")} />
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

/** Opens another page once the form is saved, unless the user has left the form's page meanwhile. */
export function useLeaveForm(): (to: string) => void {
  const router = useRouter();
  return useWhileMounted((to: string) => {
    discardUnsaved();
    router.push(to);
  });
}

/** Checks the form, then saves its draft. */
function useSave(form: FormState, onSave: (draft: ChannelDraft) => Promise<ChannelDraft | null>) {
  const [isBusy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !form.check()) return;
    setBusy(true);
    form.setError(null);
    try {
      const newest = await onSave(form.draft);
      // Saved. Stays busy until the page is left, so that another click does not save again.
      if (newest === null) return;
      form.continueOn(newest);
    } catch (failure) {
      form.showFailure(failure);
    }
    setBusy(false);
  };
  return { isBusy, save };
}

/** The channel's name and its advanced settings. */
function NameAndDetails({
  form,
  channelId,
  hasUpstream,
}: {
  form: FormState;
  channelId: string | null;
  hasUpstream: boolean;
}) {
  const t = useTranslations("channels.form");
  const { data } = useApi(api.listChannels);
  const name = form.draft.name.trim().toLowerCase();
  const isTaken = data?.items.some((one) => one.id !== channelId && one.name.toLowerCase() === name);
  return (
    <div className="grid gap-6 border-t pt-6">
      <TextField
        label={t("name")}
        hint={isTaken ? <span className="text-warn">{t("nameTaken")}</span> : t("nameHint")}
        error={form.fieldErrors.name}
        className="max-w-xl"
        value={form.draft.name}
        onChange={(event) => form.change({ name: event.target.value, isNameEdited: true })}
        autoComplete="off"
      />
      <AdvancedFields form={form} hasUpstream={hasUpstream} />
    </div>
  );
}

function ProviderStep({ form }: { form: FormState }) {
  const t = useTranslations("channels.form");
  const pick = (preset: Preset, provider: Provider, name: string) => {
    form.pick(preset, provider, name);
    // The next step is rendered by this click; focus its first empty field.
    requestAnimationFrame(focusConnection);
  };
  return (
    <FormStep title={t("provider")}>
      <ProviderCards picked={form.draft.preset} onPick={pick} />
    </FormStep>
  );
}

/** The presets of a new channel, most common first. */
function ProviderCards({
  picked,
  onPick,
}: {
  picked: Preset | null;
  onPick(preset: Preset, provider: Provider, name: string): void;
}) {
  const t = useTranslations("channels");
  const format = useFormatter();
  const { data, error, mutate } = useApi(api.listProviders, {}, { revalidateOnFocus: false });
  if (error && !data) return <CallError error={error} onRetry={() => void mutate()} />;
  return (
    <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3" aria-busy={data === undefined}>
      {data === undefined
        ? NAMED_PRESETS.map((name) => (
            <li key={name}>
              <Skeleton className="h-17 rounded-md" />
            </li>
          ))
        : presetsOf(data.items).map(({ preset, provider }) => {
            const known = NAMED_PRESETS.find((one) => one === preset);
            const name = known ? t(`provider.${known}`) : preset;
            const text = known
              ? t(`form.providerText.${known}`)
              : format.list(
                  provider.operations.map((one) => t(`form.${one}`)),
                  { type: "conjunction", style: "narrow" },
                );
            return (
              <li key={preset} className="grid">
                <button
                  type="button"
                  aria-pressed={picked === preset}
                  onClick={() => onPick(preset, provider, known === "compatible" ? "" : name)}
                  className={cn(
                    "flex h-17 items-center gap-3 rounded-md border bg-panel px-4 text-left transition-colors hover:border-line-strong",
                    picked === preset && "border-ink bg-sunken",
                  )}
                >
                  <ProviderMark provider={preset} className="size-6 text-ink-muted" />
                  <span className="grid min-w-0">
                    <span className="font-medium">{name}</span>
                    <span className="truncate text-sm text-ink-muted">{text}</span>
                  </span>
                </button>
              </li>
            );
          })}
    </ul>
  );
}
