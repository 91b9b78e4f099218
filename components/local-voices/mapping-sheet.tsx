"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { askToLeave, useUnsaved } from "@/lib/client/unsaved";
import type { InstalledVoice, LocalVoiceList } from "@/lib/contracts/console/local-voices";
import { SaveErrors } from "../forms/call-error";
import { Form } from "../forms/form";
import { useAction, useWhileMounted } from "../forms/use-action";
import { Button } from "../ui/button";
import { NativeSelect, SelectOptions } from "../ui/input";
import { SearchField } from "../ui/search-field";
import { Sheet, SheetContent } from "../ui/sheet";
import { toast } from "../ui/toast";

type VoiceNames = Readonly<Record<string, string>>;

interface SheetProps {
  /** Loads the voices again. */
  onReload(): Promise<LocalVoiceList | undefined>;
  onClose(): void;
}

/** Maps the voice names that Gemini and OpenAI clients send to speakers; saved as the channel's option `voices`. */
export function MappingSheet({
  voice,
  ...props
}: SheetProps & {
  /** Undefined if the voice was removed meanwhile. */
  voice: InstalledVoice | undefined;
}) {
  const t = useTranslations("localVoices.mapping");
  const title = t("title", { name: voice?.name ?? "" });
  const [isDirty, setDirty] = useState(false);
  const isUnsaved = isDirty && Boolean(voice?.channel);
  useUnsaved(isUnsaved, title);
  const close = () => (isUnsaved ? askToLeave(props.onClose, [title]) : props.onClose());
  return (
    <Sheet open onOpenChange={(open) => (open ? undefined : close())}>
      <SheetContent title={title} className="p-6">
        {voice?.channel ? (
          <MappingForm voice={voice} channel={voice.channel} onDirty={setDirty} {...props} />
        ) : (
          <p className="pr-8 text-ink-muted">{t("gone")}</p>
        )}
      </SheetContent>
    </Sheet>
  );
}

const isSame = (a: VoiceNames, b: VoiceNames) =>
  Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

/** The form's state. After a version conflict it has the newest mapping, and `isStale` is true until the next save. */
function useMapping(
  voice: InstalledVoice,
  channel: NonNullable<InstalledVoice["channel"]>,
  props: FormProps,
) {
  const t = useTranslations("localVoices.mapping");
  // The version that the form started from: a change made elsewhere since then is a conflict.
  const [base, setBase] = useState(channel);
  const [table, setTable] = useState<VoiceNames>(channel.voices);
  const [isStale, setStale] = useState(false);
  const { isBusy, error, run } = useAction();
  const close = useWhileMounted(props.onClose);
  const change = (next: VoiceNames, saved = base.voices) => {
    setTable(next);
    props.onDirty(!isSame(next, saved));
  };
  const keyOf = (name: string) =>
    Object.keys(table).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
  const send = async () => {
    setStale(false);
    try {
      const body = { version: base.version, options: { voices: table } };
      await callApi(api.updateChannel, { params: { id: base.id }, body });
    } catch (failure) {
      if (!isApiError(failure, "conflict")) throw failure;
      const list = await props.onReload();
      const newest = list?.installed.find(({ name }) => name === voice.name)?.channel;
      // The list could not be reloaded: it is still the one that was loaded before.
      if (!newest || newest.version === base.version) throw failure;
      setBase(newest);
      change(newest.voices, newest.voices);
      setStale(true);
      return;
    }
    await props.onReload();
    toast.success(t("saved", { name: voice.name }));
    close();
  };
  return {
    isBusy,
    error,
    isStale,
    speakerOf: (name: string) => table[keyOf(name)] ?? "",
    /** The speaker of any other name. */
    otherSpeaker: table["*"],
    choose(name: string, speaker: string) {
      const { [keyOf(name)]: _, ...rest } = table;
      change(speaker === "" ? rest : { ...rest, [name]: speaker });
    },
    save: () => run(send),
  };
}

interface FormProps extends SheetProps {
  onDirty(isDirty: boolean): void;
}

function MappingForm({
  voice,
  channel,
  ...props
}: FormProps & { voice: InstalledVoice; channel: NonNullable<InstalledVoice["channel"]> }) {
  const t = useTranslations("localVoices.mapping");
  const common = useTranslations("common");
  const mapping = useMapping(voice, channel, props);
  const [q, setQuery] = useState("");
  const text = q.trim().toLowerCase();
  const shown = voice.mapping.filter(({ name }) => name.toLowerCase().includes(text));
  return (
    <Form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!mapping.isBusy) void mapping.save();
      }}
    >
      <div className="grid gap-1 pr-8">
        <h2 className="text-lg">{t("heading")}</h2>
        <p className="text-ink-muted">{t("lead")}</p>
      </div>
      <SaveErrors error={mapping.error} isStale={mapping.isStale} stale={t("stale")} />
      <SearchField label={t("search")} value={q} onValueChange={setQuery} className="w-full" />
      <ul className="grid gap-2">
        {shown.map(({ name, standard }) => (
          <li key={name} className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-center gap-3">
            <label htmlFor={`speaker-${name}`} className="truncate" title={name}>
              {name}
            </label>
            <NativeSelect
              id={`speaker-${name}`}
              value={mapping.speakerOf(name)}
              onChange={(event) => mapping.choose(name, event.target.value)}
            >
              <option value="">{t("standard", { speaker: mapping.otherSpeaker ?? standard })}</option>
              <SelectOptions of={voice.speakers.map((speaker) => [speaker.name, speaker.name])} />
            </NativeSelect>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className="text-ink-muted">{t("noMatch")}</p> : null}
      <div className="sticky -bottom-6 -mx-6 -mb-6 flex justify-end gap-2 border-t bg-raised px-6 py-4">
        <Button variant="outline" onClick={props.onClose}>
          {common("cancel")}
        </Button>
        <Button type="submit" isBusy={mapping.isBusy}>
          {common("save")}
        </Button>
      </div>
    </Form>
  );
}
