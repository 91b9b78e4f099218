"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { awaitSecret } from "@/lib/client/unsaved";
import type { ApiKey, ApiKeyWithSecret, CreateKey } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { HOUR_MS } from "@/lib/contracts/durations";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { Field } from "../forms/field";
import { FormDialog } from "../forms/form-dialog";
import { SecretDialog } from "../forms/secret-dialog";
import { changeNewest, finishChange, useWhileMounted } from "../forms/use-action";
import { NativeSelect, SelectOptions } from "../ui/input";
import { SentenceGap } from "../ui/sentence-gap";
import { KeyForm } from "./key-form";

export interface NewSecret {
  created: ApiKeyWithSecret;
  /** After a rotation: when the old key expires, in milliseconds since 1970; null for a new key. */
  oldEndsAt: number | null;
}

/** When a key expires that is rotated at `at`, in milliseconds since 1970. A rotation never extends its validity. */
const endOf = ({ expires_at }: ApiKey, at: number, graceHours: number) =>
  Math.min(at + graceHours * HOUR_MS, expires_at === null ? Infinity : Date.parse(expires_at));

function useExactTime(): (at: number | string) => string {
  const format = useFormatter();
  return (at) => format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
}

/** Shows a new key's secret, which is shown only once. */
function RevealDialog({ created, oldEndsAt, onClose }: NewSecret & { onClose(): void }) {
  const t = useTranslations("apiKeys.reveal");
  const exactTime = useExactTime();
  const hasGrace = oldEndsAt !== null && oldEndsAt > Date.parse(created.created_at);
  const labels = {
    title: t("title", { name: created.name }),
    text: (
      <>
        {hasGrace ? t("grace", { time: exactTime(oldEndsAt) }) : t(oldEndsAt === null ? "text" : "noGrace")}
        {created.expires_at ? (
          <>
            <SentenceGap />
            {t("expires", { time: exactTime(created.expires_at) })}
          </>
        ) : null}
      </>
    ),
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
  };
  return <SecretDialog secret={created.key} name="api-key" labels={labels} onClose={onClose} />;
}

type FormState = { kind: "create" } | { kind: "edit"; key: ApiKey };
type ConfirmState = { kind: "rotate" | "disable" | "delete"; key: ApiKey };

export type KeyDialog = FormState | ConfirmState;

interface DialogProps<State extends KeyDialog> {
  dialog: State;
  viewerRole: Role;
  hidesBudgets: boolean;
  modelNames: readonly string[];
  /** Addresses that other keys are limited to, as suggestions. */
  addresses: readonly string[];
  /** A key was created, changed or deleted. */
  onChanged(): void;
  /** Called once a key is created or rotated, even if its dialog was closed meanwhile. */
  onSecret(secret: NewSecret): void;
  onDialog(next: KeyDialog | null): void;
}

/**
 * The open dialog of the API keys page, and above it the secret to show. Both are in one lazy part, so that the secret
 * is on the page before its form is removed: a page without unsaved input may be reloaded, which would lose the secret.
 */
export function KeyDialogs({
  dialog,
  secret,
  onSecretClose,
  ...props
}: Omit<DialogProps<KeyDialog>, "dialog"> & {
  dialog: KeyDialog | null;
  secret: NewSecret | undefined;
  onSecretClose(): void;
}) {
  return (
    <>
      {dialog ? <OpenDialog dialog={dialog} {...props} /> : null}
      {secret ? <RevealDialog key={secret.created.id} {...secret} onClose={onSecretClose} /> : null}
    </>
  );
}

function OpenDialog({ dialog, ...rest }: DialogProps<KeyDialog>) {
  const props = { ...rest, onDialog: useWhileMounted(rest.onDialog) };
  switch (dialog.kind) {
    case "create":
    case "edit":
      return <FormDialogs dialog={dialog} {...props} />;
    default:
      return <ConfirmDialogs dialog={dialog} {...props} />;
  }
}

function FormDialogs({ dialog, onChanged, onSecret, onDialog, ...props }: DialogProps<FormState>) {
  const t = useTranslations("apiKeys");
  const named = useTranslations("common.named");
  const close = () => onDialog(null);
  const before = dialog.kind === "edit" ? dialog.key : null;
  const save = async (request: CreateKey) => {
    if (before === null) {
      const created = await awaitSecret(t("create"), callApi(api.createKey, { body: request }));
      onChanged();
      close();
      return onSecret({ created, oldEndsAt: null });
    }
    const body = { ...request, version: before.version };
    const saved = await callApi(api.updateKey, { params: { id: before.id }, body });
    finishChange(onChanged, close, named("saved", { name: saved.name }));
  };
  const reload = async (id: string) => {
    const key = await callApi(api.getKey, { params: { id } });
    onDialog({ kind: "edit", key });
    onChanged();
    return key;
  };
  return (
    <FormDialog title={before ? named("edit", { name: before.name }) : t("create")} onClose={close}>
      <KeyForm
        {...props}
        before={before}
        // Keys of members never have the manage permission.
        mayManage={props.viewerRole !== "member" && before?.owner.role !== "member"}
        onSave={save}
        onStale={before ? () => reload(before.id) : undefined}
        onCancel={close}
      />
    </FormDialog>
  );
}

function ConfirmDialogs({ dialog, onChanged, onSecret, onDialog }: DialogProps<ConfirmState>) {
  const t = useTranslations("apiKeys");
  const named = useTranslations("common.named");
  const close = () => onDialog(null);
  const done = (message: string) => finishChange(onChanged, close, message);
  const { kind, key } = dialog;
  const { name } = key;
  const params = { id: key.id };
  if (kind === "rotate")
    return (
      <RotateDialog
        apiKey={key}
        onRotate={async (graceHours) => {
          const reply = callApi(api.rotateKey, { params, body: { grace_hours: graceHours } });
          const created = await awaitSecret(t("rotate.action"), reply);
          onChanged();
          close();
          onSecret({ created, oldEndsAt: endOf(key, Date.parse(created.created_at), graceHours) });
        }}
        onClose={close}
      />
    );
  const confirm = async () => {
    if (kind === "delete") {
      await callApi(api.deleteKey, { params });
      return done(named("deleted", { name }));
    }
    // Disables the newest version after a version conflict: a leaked key must be stopped.
    await changeNewest(
      key,
      () => callApi(api.getKey, { params }),
      ({ version }) => callApi(api.updateKey, { params, body: { enabled: false, version } }),
    );
    done(named("disabled", { name }));
  };
  return (
    <ConfirmDialog
      title={t(`${kind}.title`, { name })}
      text={t(`${kind}.text`)}
      action={t(`${kind}.action`)}
      typedName={kind === "delete" ? name : undefined}
      onConfirm={confirm}
      onClose={close}
    />
  );
}

const GRACE_HOURS = [0, 1, 6, 12, 24];
const DEFAULT_HOURS = 24;

/** Confirms a rotation and asks how long the old key stays valid. */
function RotateDialog({
  apiKey,
  onRotate,
  onClose,
}: {
  apiKey: ApiKey;
  onRotate(graceHours: number): Promise<void>;
  onClose(): void;
}) {
  const t = useTranslations("apiKeys.rotate");
  const exactTime = useExactTime();
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const now = Date.now();
  const end = endOf(apiKey, now, hours);
  return (
    <ConfirmDialog
      title={t("title", { name: apiKey.name })}
      text={t("text")}
      action={t("action")}
      isDanger={false}
      onConfirm={() => onRotate(hours)}
      onClose={onClose}
    >
      <Field
        label={t("grace")}
        hint={end < now + hours * HOUR_MS ? t("endsEarlier", { time: exactTime(end) }) : undefined}
      >
        {(control) => (
          <NativeSelect {...control} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
            <SelectOptions of={GRACE_HOURS.map((one) => [one, t("hours", { hours: one })])} />
          </NativeSelect>
        )}
      </Field>
    </ConfirmDialog>
  );
}
