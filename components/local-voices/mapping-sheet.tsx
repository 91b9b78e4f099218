"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { InstalledVoice } from "@/lib/contracts/console/local-voices";
import { RecordError } from "../forms/call-error";
import { Form } from "../forms/form";
import { useAction, useWhileMounted } from "../forms/use-action";
import { Button } from "../ui/button";
import { NativeSelect, SelectOptions } from "../ui/input";
import { SearchField } from "../ui/search-field";
import { Sheet, SheetContent } from "../ui/sheet";
import { toast } from "../ui/toast";

interface SheetProps {
  onSaved(): Promise<unknown>;
  onClose(): void;
}

/** The speaker of each name that callers of Gemini and OpenAI send; saved as the option `voices` of the channel. */
export function MappingSheet({
  voice,
  ...props
}: SheetProps & {
  /** Undefined if it was removed in the meantime. */
  voice: InstalledVoice | undefined;
}) {
  const t = useTranslations("localVoices.mapping");
  return (
    <Sheet open onOpenChange={(open) => (open ? undefined : props.onClose())}>
      <SheetContent title={t("title", { name: voice?.name ?? "" })} className="p-6">
        {voice?.channel ? (
          <MappingForm voice={voice} channel={voice.channel} {...props} />
        ) : (
          <p className="pr-8 text-ink-muted">{t("gone")}</p>
        )}
      </SheetContent>
    </Sheet>
  );
}

function MappingForm({
  voice,
  channel,
  onSaved,
  onClose,
}: SheetProps & { voice: InstalledVoice; channel: NonNullable<InstalledVoice["channel"]> }) {
  const t = useTranslations("localVoices.mapping");
  const common = useTranslations("common");
  // A change made elsewhere since then is a conflict.
  const [{ version }] = useState(channel);
  const [table, setTable] = useState<Readonly<Record<string, string>>>(channel.voices);
  const [q, setQuery] = useState("");
  const { isBusy, error, run } = useAction();
  const close = useWhileMounted(onClose);
  const text = q.trim().toLowerCase();
  const shown = voice.mapping.filter(({ name }) => name.toLowerCase().includes(text));
  const keyOf = (name: string) =>
    Object.keys(table).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
  const choose = (name: string, speaker: string) => {
    const { [keyOf(name)]: _, ...rest } = table;
    setTable(speaker === "" ? rest : { ...rest, [name]: speaker });
  };
  const save = async () => {
    await callApi(api.updateChannel, {
      params: { id: channel.id },
      body: { version, options: { voices: table } },
    });
    await onSaved();
    toast.success(t("saved", { name: voice.name }));
    close();
  };
  return (
    <Form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void run(save);
      }}
    >
      <div className="grid gap-1 pr-8">
        <h2 className="text-lg">{t("heading")}</h2>
        <p className="text-ink-muted">{t("lead")}</p>
      </div>
      <RecordError error={error} />
      <SearchField label={t("search")} value={q} onValueChange={setQuery} className="w-full" />
      <ul className="grid gap-2">
        {shown.map(({ name, standard }) => (
          <li key={name} className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-center gap-3">
            <label htmlFor={`speaker-${name}`} className="truncate" title={name}>
              {name}
            </label>
            <NativeSelect
              id={`speaker-${name}`}
              value={table[keyOf(name)] ?? ""}
              onChange={(event) => choose(name, event.target.value)}
            >
              <option value="">{t("standard", { speaker: table["*"] ?? standard })}</option>
              <SelectOptions of={voice.speakers.map((speaker) => [speaker.name, speaker.name])} />
            </NativeSelect>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className="text-ink-muted">{t("noMatch")}</p> : null}
      <div className="sticky -bottom-6 -mx-6 -mb-6 flex justify-end gap-2 border-t bg-raised px-6 py-4">
        <Button variant="outline" onClick={onClose}>
          {common("cancel")}
        </Button>
        <Button type="submit" isBusy={isBusy}>
          {common("save")}
        </Button>
      </div>
    </Form>
  );
}
