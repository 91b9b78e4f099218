import { LOCAL_VOICES } from "../../contracts/console/channels";
import type { AvailableVoice, InstalledVoice, LocalVoiceList } from "../../contracts/console/local-voices";
import { AppError } from "../../errors";
import type { CatalogueVoice, LocalVoices, VoiceFolder, VoiceRecords } from "../../ports/local-voices";
import type { ChannelRecord } from "../../ports/store";
import { requireOwner } from "../access/guards";
import type { ReadContext } from "../context";
import { voiceChannelId } from "./refresh";

/** Managing voices is reserved to the owner, because installed models are run on the machine. */
const OWNER_ONLY = "Only the owner may manage local voices.";

/** The local voices, for the owner. Throws `forbidden`; `conflict` when local voices are off. */
export function requireVoices(ctx: ReadContext): LocalVoices {
  requireOwner(ctx, OWNER_ONLY);
  if (ctx.voices !== null) return ctx.voices;
  throw new AppError("conflict", "Local voices are turned off (PATCHBAY_VOICES=off).");
}

const isTable = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");

/** The operator's mapping of a channel. */
const tableOf = ({ options }: Pick<ChannelRecord, "options">) =>
  isTable(options.voices) ? options.voices : {};

async function toInstalled(
  voices: LocalVoices,
  folder: VoiceFolder,
  channel: ChannelRecord | undefined,
): Promise<InstalledVoice> {
  const table = channel === undefined ? {} : tableOf(channel);
  const { isLoaded, failure } = voices.status(folder.name);
  const [facts, mapping] = await Promise.all([voices.facts(folder.name), voices.mapping(folder.name, table)]);
  return {
    name: folder.name,
    kind: folder.kind,
    languages: [...folder.languages],
    sample_rate: folder.sampleRate,
    speakers: folder.speakers.map(({ name, languages, gender }) => ({
      name,
      languages: [...languages],
      gender,
    })),
    size_bytes: folder.bytes,
    real_time_factor: facts.realTimeFactor,
    is_loaded: isLoaded,
    failure,
    archive_sha256: facts.archiveSha256,
    channel:
      channel === undefined ? null : { id: channel.id, version: channel.version, voices: { ...table } },
    mapping,
  };
}

function toAvailable(voice: CatalogueVoice, { digests, partial }: VoiceRecords): AvailableVoice {
  const url = new URL(voice.url);
  const first = digests[url.pathname.split("/").at(-1) ?? ""] ?? null;
  const sha256 = voice.sha256 ?? first;
  return {
    name: voice.name,
    languages: [...voice.languages],
    quality: voice.quality,
    size_mb: voice.sizeMb,
    licence: voice.licence,
    host: url.host,
    sha256,
    sha256_from: sha256 === null ? null : voice.sha256 === null ? "first_download" : "publisher",
    partial_bytes: partial.get(voice.name) ?? 0,
  };
}

/** The voices of this machine, the catalogue, and what is being installed. Throws `forbidden`. */
export async function listLocalVoices(ctx: ReadContext): Promise<LocalVoiceList> {
  requireOwner(ctx, OWNER_ONLY);
  const { voices, store } = ctx;
  if (voices === null) {
    return { enabled: false, has_mirror: false, installed: [], broken: [], catalogue: [], installations: [] };
  }
  const [{ ready, broken }, records, channels] = await Promise.all([
    voices.scan(),
    voices.records(),
    store.channels.all(),
  ]);
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]));
  const here = new Set([...ready, ...broken].map(({ name }) => name));
  const missing = channels
    .filter(({ id, provider }) => provider === LOCAL_VOICES && id.startsWith(voiceChannelId("")))
    .map(({ id }) => id.slice(voiceChannelId("").length))
    .filter((name) => !here.has(name));
  return {
    enabled: true,
    has_mirror: voices.hasMirror,
    installed: await Promise.all(
      ready.map((folder) => toInstalled(voices, folder, channelOf.get(voiceChannelId(folder.name)))),
    ),
    broken: [
      ...broken,
      ...missing.map((name) => ({
        name,
        file: "",
        reason:
          "Its folder is missing. Mount its disk again; removing the voice also deletes its settings and prices.",
      })),
    ],
    catalogue: voices.catalogue
      .filter(({ name }) => !here.has(name))
      .map((voice) => toAvailable(voice, records)),
    installations: records.jobs.map(({ done, total, ...job }) => ({
      ...job,
      done_bytes: done,
      total_bytes: total,
    })),
  };
}
