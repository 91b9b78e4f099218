"use client";

import { ChevronRightIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { TIMEOUTS } from "@/components/channels/channel-draft";
import { FormAlert } from "../../forms/field";
import { TextField } from "../../forms/text-field";
import { Label } from "../../ui/input";
import { Switch } from "../../ui/switch";
import { OptionFields } from "./option-fields";
import { PairFields } from "./pair-fields";
import type { ChannelForm } from "./use-channel-form";

/** Optional settings, collapsed by default. */
export function AdvancedFields({
  form,
  hasUpstream,
}: {
  form: ChannelForm;
  /** False for a built-in engine, which sends nothing over the network. */
  hasUpstream: boolean;
}) {
  const t = useTranslations("channels.form");
  return (
    <details
      open={form.showsAdvanced}
      onToggle={(event) => form.setShowsAdvanced(event.currentTarget.open)}
      className="group rounded-md border bg-panel"
    >
      <summary className="flex list-none items-center gap-2 rounded-md px-4 py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <span className="grid">
          <span className="font-medium">{t("advanced")}</span>
          <span className="text-sm text-ink-muted">{t("advancedText")}</span>
        </span>
      </summary>
      <div className="grid gap-6 border-t p-4">
        <Limits form={form} />
        {hasUpstream ? (
          <>
            <Timeouts form={form} />
            <PairFields
              texts={{
                title: t("headers"),
                hint: t("headersHint"),
                name: t("headerName"),
                value: t("headerValue"),
                add: t("addHeader"),
                remove: (name) => t("removeHeader", { name }),
              }}
              pairs={form.draft.headers}
              errors={form.fieldErrors.headers === undefined ? [] : [form.fieldErrors.headers]}
              onChange={(headers) => form.change({ headers })}
            />
            <div className="flex items-start gap-3">
              <Switch
                id="batching"
                aria-describedby="batching-hint"
                checked={form.draft.batching}
                onCheckedChange={(batching) => form.change({ batching })}
              />
              <div className="grid gap-0.5">
                <Label htmlFor="batching">{t("batching")}</Label>
                <p id="batching-hint" className="text-sm text-ink-muted">
                  {t("batchingHint")}
                </p>
              </div>
            </div>
            <OptionFields form={form} />
          </>
        ) : null}
      </div>
    </details>
  );
}

function Limits({ form: { draft, fieldErrors, change } }: { form: ChannelForm }) {
  const t = useTranslations("channels.form");
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {(["weight", "rpm", "concurrency"] as const).map((name) => (
        <TextField
          key={name}
          label={t(name)}
          hint={t(name === "weight" ? "weightHint" : "noLimit")}
          error={fieldErrors[name]}
          inputMode="numeric"
          value={draft[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
    </div>
  );
}

function Timeouts({ form: { draft, fieldErrors, change } }: { form: ChannelForm }) {
  const t = useTranslations("channels.form");
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 font-medium">{t("timeouts")}</legend>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        {TIMEOUTS.map((name) => (
          <TextField
            key={name}
            label={t(name)}
            inputMode="decimal"
            aria-invalid={fieldErrors.timeouts ? true : undefined}
            value={draft.timeouts[name]}
            onChange={(event) => change({ timeouts: { ...draft.timeouts, [name]: event.target.value } })}
          />
        ))}
      </div>
      <FormAlert error={fieldErrors.timeouts} />
      <p className="text-sm text-ink-muted">{t("timeoutHint")}</p>
    </fieldset>
  );
}
