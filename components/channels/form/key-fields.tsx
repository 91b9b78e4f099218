"use client";

import { PlusIcon, XIcon } from "lucide-react";
import type { ClipboardEvent, KeyboardEvent } from "react";
import { useTranslations } from "use-intl";
import { type DraftKey, emptyKey } from "@/components/channels/channel-draft";
import { Field } from "../../forms/field";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";

/** The keys of a channel: those that stand by their last characters, new ones as they are written. */
export function KeyFields({
  keys,
  fault,
  onChange,
  onEnter,
}: {
  keys: readonly DraftKey[];
  fault: string | undefined;
  onChange(keys: DraftKey[]): void;
  onEnter(event: KeyboardEvent): void;
}) {
  const t = useTranslations("channels.form");
  const remove = (id: string) => onChange(keys.filter((key) => key.id !== id));
  /** A pasted list is a field each: a field of one line would run the keys together. */
  const pasteSeveral = (event: ClipboardEvent, into: DraftKey) => {
    const texts = event.clipboardData.getData("text").split(/\s+/u).filter(Boolean);
    if (texts.length < 2) return;
    event.preventDefault();
    const fresh = texts.map((text) => ({ ...emptyKey(), kind: "new" as const, text }));
    onChange(keys.flatMap((key) => (key.id === into.id ? fresh : [key])));
  };
  const kept = keys.filter((key) => key.kind === "kept");
  const fresh = keys.filter((key) => key.kind === "new");
  return (
    <div className="grid gap-3">
      {kept.length > 0 ? (
        <div className="grid gap-1.5">
          <p className="text-sm font-medium">{t("keys")}</p>
          <ul className="divide-y rounded-md border bg-panel">
            {kept.map((key) => (
              <li key={key.id} className="flex h-10 items-center justify-between pr-1 pl-3">
                <code>{key.display}</code>
                <Button
                  variant="ghost"
                  size="icon-sm"
                  aria-label={t("removeKey", { display: key.display })}
                  onClick={() => remove(key.id)}
                >
                  <XIcon />
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {fresh.map((key, index) => (
        <Field
          key={key.id}
          label={
            <>
              {t("key")} <span className="font-normal text-ink-faint">{t("keyOptional")}</span>
            </>
          }
          hint={index === fresh.length - 1 ? t("keyHint") : undefined}
          error={index === 0 ? fault : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              value={key.text}
              onChange={(event) =>
                onChange(keys.map((one) => (one.id === key.id ? { ...key, text: event.target.value } : one)))
              }
              onKeyDown={onEnter}
              onPaste={(event) => pasteSeveral(event, key)}
              data-key-field=""
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      ))}
      {fresh.length === 0 && fault ? (
        <p role="alert" className="text-sm text-bad">
          {fault}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button variant="link" size="inline" onClick={() => onChange([...keys, emptyKey()])}>
          <PlusIcon aria-hidden="true" />
          {t("addKey")}
        </Button>
        {keys.length > 1 ? <p className="text-sm text-ink-muted">{t("severalKeys")}</p> : null}
      </div>
    </div>
  );
}
