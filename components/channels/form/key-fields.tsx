"use client";

import { PlusIcon, XIcon } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useRef } from "react";
import { useTranslations } from "use-intl";
import { type DraftKey, emptyKey } from "@/components/channels/channel-draft";
import { Field, FormAlert } from "../../forms/field";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { leaveRow } from "../../ui/leave-row";

/** Upstream keys: stored ones by their last characters, new ones as inputs. */
export function KeyFields({
  keys,
  error,
  labelError,
  onChange,
  onEnter,
}: {
  keys: readonly DraftKey[];
  error: string | undefined;
  labelError: string | undefined;
  onChange(keys: DraftKey[]): void;
  onEnter(event: KeyboardEvent): void;
}) {
  const t = useTranslations("channels.form");
  const add = useRef<HTMLButtonElement>(null);
  const remove = (id: string, row: Element | null) => {
    leaveRow(row, "button", add.current);
    onChange(keys.filter((key) => key.id !== id));
  };
  /** Splits a pasted list into one field per key; a single-line field would join them. */
  const pasteSeveral = (event: ClipboardEvent, into: DraftKey) => {
    const texts = event.clipboardData.getData("text").split(/\s+/u).filter(Boolean);
    if (texts.length < 2) return;
    event.preventDefault();
    // The focused field keeps its ID, and so the focus, and gets the first key.
    const pasted = texts.map((text, at) => ({
      ...(at === 0 ? into : emptyKey()),
      kind: "new" as const,
      text,
    }));
    onChange(keys.flatMap((key) => (key.id === into.id ? pasted : [key])));
  };
  const change = (id: string, part: { label: string } | { text: string }) =>
    onChange(keys.map((key) => (key.id === id ? { ...key, ...part } : key)));
  const stored = keys.filter((key) => key.kind === "stored");
  const added = keys.filter((key) => key.kind === "new");
  return (
    <div className="grid gap-3">
      {stored.length > 0 ? <StoredKeys keys={stored} onChange={change} onRemove={remove} /> : null}
      {added.map((key, index) => (
        <Field
          key={key.id}
          label={
            <>
              {t("key")} <span className="font-normal text-ink-faint">{t("keyOptional")}</span>
            </>
          }
          hint={index === added.length - 1 ? t("keyHint") : undefined}
          error={index === 0 ? error : undefined}
        >
          {(control) => (
            <span className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_14rem]">
              <Input
                {...control}
                type="password"
                value={key.text}
                onChange={(event) => change(key.id, { text: event.target.value })}
                onKeyDown={onEnter}
                onPaste={(event) => pasteSeveral(event, key)}
                data-key-field=""
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
              <KeyLabel of={key} onChange={(label) => change(key.id, { label })} />
            </span>
          )}
        </Field>
      ))}
      <FormAlert error={labelError} />
      <FormAlert error={added.length === 0 ? error : undefined} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button ref={add} variant="link" size="inline" onClick={() => onChange([...keys, emptyKey()])}>
          <PlusIcon aria-hidden="true" />
          {t("addKey")}
        </Button>
        {keys.length > 1 ? <p className="text-sm text-ink-muted">{t("severalKeys")}</p> : null}
      </div>
    </div>
  );
}

/** The keys that the channel has already. */
function StoredKeys({
  keys,
  onChange,
  onRemove,
}: {
  keys: readonly Extract<DraftKey, { kind: "stored" }>[];
  onChange(id: string, part: { label: string }): void;
  onRemove(id: string, row: Element | null): void;
}) {
  const t = useTranslations("channels.form");
  return (
    <div className="grid gap-1.5">
      <p className="text-sm font-medium">{t("keys")}</p>
      <ul className="divide-y rounded-md border bg-panel">
        {keys.map((key) => (
          <li key={key.id} className="flex items-center justify-between gap-3 py-1 pr-1 pl-3">
            <code className="shrink-0">{key.display}</code>
            <KeyLabel of={key} onChange={(label) => onChange(key.id, { label })} />
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={t("removeKey", { display: key.display })}
              onClick={(event) => onRemove(key.id, event.currentTarget.parentElement)}
            >
              <XIcon />
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The label of a key. Key health and failed attempts show it instead of the key's last characters. */
function KeyLabel({ of: key, onChange }: { of: DraftKey; onChange(label: string): void }) {
  const t = useTranslations("channels.form");
  return (
    <Input
      aria-label={key.kind === "stored" ? t("keyLabelOf", { display: key.display }) : t("keyLabel")}
      placeholder={t("keyLabel")}
      value={key.label}
      maxLength={60}
      onChange={(event) => onChange(event.target.value)}
      autoComplete="off"
    />
  );
}
