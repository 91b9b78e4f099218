import { LOCAL_VOICES } from "../../contracts/console/channels";
import type { BrokenVoiceFolder, LocalVoices, VoiceFolder } from "../../ports/local-voices";
import type { ModelRecord } from "../../ports/store";
import { embeddedChannel, embeddedModel, ensureChannel, SPEECH } from "../channels/ensure-embedded";
import type { ConsoleServices } from "../context";

/** The ID of the channel of a model folder. */
export const voiceChannelId = (folder: string) => `chn_voice_${folder}`;

const KIND_NAMES: Readonly<Record<VoiceFolder["kind"], string>> = {
  kokoro: "Kokoro",
  kitten: "Kitten",
  matcha: "Matcha",
  vits: "VITS (Piper)",
};

function voiceModel(folder: VoiceFolder, now: number): ModelRecord {
  const { name, kind, languages, speakers } = folder;
  const spoken = languages.length === 0 ? "" : ` in ${languages.join(", ")}`;
  const description = `Neural speech${spoken}, made on this machine by a ${KIND_NAMES[kind]} model.`;
  return embeddedModel({ ...SPEECH, name, description, defaultVoice: defaultSpeaker(speakers) }, now);
}

/** Kokoro's authors recommend `af_heart`; other models list their best speaker first. */
function defaultSpeaker(speakers: VoiceFolder["speakers"]): string | null {
  return (speakers.find(({ name }) => name === "af_heart") ?? speakers[0])?.name ?? null;
}

/** What was logged last: the problems as JSON, or the error of the scan. */
const REPORTED = new WeakMap<LocalVoices, string>();

/** Logs the folders that cannot be used, when they differ from those logged last. */
function report({ voices, log }: ConsoleServices, problems: readonly BrokenVoiceFolder[]): void {
  const text = JSON.stringify(problems);
  if (voices === null || text === (REPORTED.get(voices) ?? "[]")) return;
  REPORTED.set(voices, text);
  for (const { name, file, reason } of problems) log.warn("voice_broken", { model: name, file, reason });
}

/**
 * True when the model prevents a new one called `name`: by an alias, or by its name unless it is a speech model, which
 * then gains a channel.
 */
function hasTakenName(model: ModelRecord, name: string): boolean {
  return model.name === name ? model.operation !== "speech" : model.aliases.includes(name);
}

/**
 * Reads the voice folders and inserts a channel and a model for each new folder. The channel and model of a missing
 * folder are kept, so that no settings are lost while a disk is not mounted; its calls fail over.
 */
export async function refreshVoices(services: ConsoleServices): Promise<void> {
  const { voices, store, clock, log } = services;
  if (voices === null) return;
  await voices.sweep();
  const found = await voices.scan().catch((error: unknown) => {
    // Unreadable folders must not fail a start, and the next refresh reads them again.
    if (REPORTED.get(voices) !== String(error)) log.warn("voices_not_read", { cause: error });
    REPORTED.set(voices, String(error));
    return null;
  });
  if (found === null) return;
  const { ready, broken } = found;
  const known = new Set((await store.channels.all()).map(({ id }) => id));
  const fresh = ready.filter(({ name }) => !known.has(voiceChannelId(name)));
  const models = fresh.length === 0 ? [] : await store.models.all();
  const taken = fresh.filter(({ name }) => models.some((model) => hasTakenName(model, name)));
  report(services, [
    ...broken,
    ...taken.map(({ name }) => ({
      name,
      file: "",
      reason: "Another model has this name: rename the folder.",
    })),
  ]);
  const added = fresh.filter((folder) => !taken.includes(folder));
  if (added.length === 0) return;
  const now = clock.now();
  await store.transaction(async (tx) => {
    for (const folder of added) {
      const { name } = folder;
      const channel = embeddedChannel(
        { id: voiceChannelId(name), name, provider: LOCAL_VOICES, model: name },
        now,
      );
      await ensureChannel(tx, channel, voiceModel(folder, now));
    }
  });
  for (const { name } of added) log.info("voice_added", { model: name });
}
