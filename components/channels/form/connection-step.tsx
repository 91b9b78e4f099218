"use client";

import type { KeyboardEvent } from "react";
import { useTranslations } from "use-intl";
import { TextField, VERBATIM } from "../../forms/text-field";
import { Button } from "../../ui/button";
import { ConnectionNote } from "./connection-note";
import { FormStep } from "./form-step";
import { KeyFields } from "./key-fields";
import type { ChannelForm } from "./use-channel-form";

const URL_PLACEHOLDER: Readonly<Record<string, string>> = {
  compatible: "http://127.0.0.1:8880/v1",
  azure: "https://my-resource.openai.azure.com",
};

/** Focuses the base URL if it is empty, else the key. */
export function focusConnection(): void {
  const address = document.querySelector<HTMLInputElement>("[data-address-field]");
  const key = document.querySelector<HTMLInputElement>("[data-key-field]");
  (address?.value === "" || !key ? address : key)?.focus();
}

/** Base URL and upstream keys, with a button that lists the upstream's models. */
export function ConnectionStep({
  form,
  isNew,
  mayAllow,
}: {
  form: ChannelForm;
  isNew: boolean;
  mayAllow: boolean;
}) {
  const t = useTranslations("channels.form");
  const { draft, connection } = form;
  // Enter connects; once connected, Enter submits the form.
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || connection.kind === "listed" || connection.kind === "no-list") return;
    event.preventDefault();
    connect();
  };
  const connect = () => void form.testConnection();
  const isListed = connection.kind === "listed";
  return (
    <FormStep title={t("connection")}>
      <div className="grid max-w-xl gap-4">
        <TextField
          label={t("baseUrl")}
          hint={t(isNew ? "baseUrlHint" : "baseUrlChange")}
          error={form.fieldErrors.base_url}
          type="url"
          inputMode="url"
          data-address-field=""
          value={draft.baseUrl}
          placeholder={URL_PLACEHOLDER[draft.preset ?? ""]}
          onChange={(event) => form.change({ baseUrl: event.target.value })}
          onKeyDown={onEnter}
          {...VERBATIM}
        />
        <KeyFields
          keys={draft.keys}
          error={form.fieldErrors.keys}
          labelError={form.fieldErrors.labels}
          onChange={(keys) => form.change({ keys })}
          onEnter={onEnter}
        />
        <div className="grid gap-3">
          <Button
            variant={isListed || !isNew ? "outline" : "primary"}
            className="w-fit"
            isBusy={connection.kind === "busy"}
            onClick={connect}
          >
            {t(isListed ? "reconnect" : "connect")}
          </Button>
          <ConnectionNote
            connection={connection}
            baseUrl={draft.baseUrl.trim()}
            mayAllow={mayAllow}
            onAllowed={() => {
              // The password field is removed along with the notice.
              focusConnection();
              connect();
            }}
          />
        </div>
      </div>
    </FormStep>
  );
}
