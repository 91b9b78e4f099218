import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { isOutOfFiles } from "../../errors";
import type { VoiceFolder, VoiceKind, VoiceSpeaker } from "../../ports/local-voices";
import { baseLanguage, ESPEAK_LANGUAGES } from "../espeak/languages";
import { readKokoroName } from "../upstream-voices/kokoro-names";
import { readOnnxMetadata, UnusableFile } from "./onnx-metadata";

/** The paths that the engine loads; absent ones are not in the folder. */
export interface EngineFiles {
  kind: VoiceKind;
  model: string;
  tokens: string;
  voices?: string;
  vocoder?: string;
  dataDir?: string;
  lexicon?: string;
  ruleFsts?: string;
  ruleFars?: string;
  /** espeak-ng's voice, for a Kokoro model of several languages. */
  lang?: string;
  /** Factor on the model's durations that gives a natural pace. */
  lengthScale: number;
}

export interface ReadFolder {
  folder: VoiceFolder;
  files: EngineFiles;
}

/** `model_type` in the metadata of sherpa-onnx's models. */
const KINDS: Readonly<Record<string, VoiceKind>> = {
  kokoro: "kokoro",
  "kitten-tts": "kitten",
  "matcha-tts": "matcha",
  vits: "vits",
};
const VOCODER = /^(?:vocos|hifigan|vocoder).*\.onnx$/i;
/** Of several models in one folder the first of these is used. */
const PREFERRED = ["model.onnx", "model.int8.onnx", "model.fp16.onnx"];
/** Without these espeak-ng ends its process. */
const ESPEAK_FILES = ["phontab", "phonindex", "phondata", "intonations"];
/** The order in which sherpa-onnx's own examples apply text rules. */
const RULES = ["phone", "date", "number", "new_heteronym"];
const MAX_SPEAKERS = 5_000;

/**
 * Kokoro's own pace is 17 to 20 characters of English a second (measured: four speakers, eight texts), the pace of a
 * hurried speaker; narrators read 14. Models of other kinds state their length scale themselves, if they need one.
 */
const LENGTH_SCALES: Readonly<Partial<Record<VoiceKind, number>>> = { kokoro: 1.25 };
const SCALE_RANGE = { min: 0.5, max: 2 };

/** The part of Piper's own description beside a model (`en_US-amy-low.onnx.json`) that is used. */
const PiperJson = z.object({
  language: z.object({ code: z.string() }).optional(),
  speaker_id_map: z.record(z.string(), z.int().min(0)).optional(),
  inference: z
    .object({
      length_scale: z.number().min(SCALE_RANGE.min).max(SCALE_RANGE.max).optional().catch(undefined),
    })
    .optional(),
});

/**
 * Reads a model folder, whose name the caller has checked. Throws UnusableFile with the file that is missing or wrong.
 */
export async function readVoiceFolder(root: string, name: string): Promise<ReadFolder> {
  const directory = path.join(root, name);
  const names = (await readdir(directory)).sort();
  const model = chooseModel(names);
  const metadata = await readOnnxMetadata(path.join(directory, model), model);
  const kind = kindOf(metadata, model, names);
  const sampleRate = readCount(metadata, "sample_rate", model, 8_000, 48_000);
  const count = readCount(metadata, "n_speakers", model, 1, MAX_SPEAKERS);
  await requireFile(directory, "tokens.txt");
  const files: EngineFiles = {
    kind,
    model: path.join(directory, model),
    tokens: path.join(directory, "tokens.txt"),
    lengthScale: LENGTH_SCALES[kind] ?? 1,
  };
  if (kind === "kokoro" || kind === "kitten") {
    await checkVoices(directory, metadata, count);
    files.voices = path.join(directory, "voices.bin");
  }
  if (kind === "matcha") files.vocoder = path.join(directory, findVocoder(names));
  if (needsEspeak(kind, metadata) || names.includes("espeak-ng-data")) {
    for (const part of ESPEAK_FILES) await requireFile(directory, path.join("espeak-ng-data", part));
    files.dataDir = path.join(directory, "espeak-ng-data");
  }
  addTextFiles(files, directory, names);
  const piper = await readPiperJson(directory, model, names);
  files.lengthScale = piper?.inference?.length_scale ?? files.lengthScale;
  const languages = languagesOf(kind, metadata, piper);
  if (kind === "kokoro" && files.lexicon === undefined) files.lang = metadata.get("voice") ?? "en-us";
  const speakers = speakersOf(kind, speakerNames(metadata, piper, count), languages);
  const bytes = await sizeOf(directory);
  return { folder: { name, kind, languages, sampleRate, speakers, bytes }, files };
}

function chooseModel(names: readonly string[]): string {
  const models = names.filter((name) => name.endsWith(".onnx") && !VOCODER.test(name));
  const model = PREFERRED.find((name) => models.includes(name)) ?? models[0];
  if (model === undefined) throw new UnusableFile("model.onnx", "The file is missing.");
  return model;
}

function kindOf(metadata: ReadonlyMap<string, string>, model: string, names: readonly string[]): VoiceKind {
  const type = metadata.get("model_type");
  if (type !== undefined) {
    const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
    if (kind !== undefined) return kind;
    const known = Object.keys(KINDS).join(", ");
    throw new UnusableFile(model, `Its model_type is '${type.slice(0, 40)}'; supported are ${known}.`);
  }
  if (!metadata.has("sample_rate")) {
    throw new UnusableFile(
      model,
      "It has no metadata of sherpa-onnx, such as sample_rate: use a model in sherpa-onnx's form.",
    );
  }
  return names.includes("voices.bin") ? "kokoro" : "vits";
}

function readCount(
  metadata: ReadonlyMap<string, string>,
  key: string,
  model: string,
  min: number,
  max: number,
): number {
  const text = metadata.get(key);
  const value = Number(text);
  if (text !== undefined && Number.isInteger(value) && value >= min && value <= max) return value;
  const found = text === undefined ? "is missing" : `is '${text.slice(0, 40)}'`;
  throw new UnusableFile(model, `Its metadata ${key} ${found}; it must be from ${min} to ${max}.`);
}

async function requireFile(directory: string, name: string): Promise<number> {
  const found = await stat(path.join(directory, name)).catch(() => null);
  if (found?.isFile() !== true) throw new UnusableFile(name, "The file is missing.");
  if (found.size === 0) throw new UnusableFile(name, "The file is empty.");
  return found.size;
}

/** The engine ends its process when the sizes differ. */
async function checkVoices(
  directory: string,
  metadata: ReadonlyMap<string, string>,
  count: number,
): Promise<void> {
  const size = await requireFile(directory, "voices.bin");
  const floats = (metadata.get("style_dim") ?? "")
    .split(",")
    .reduce((product, text) => product * Number(text), count);
  const expected = floats * 4;
  if (Number.isInteger(expected) && expected > 0 && expected !== size) {
    throw new UnusableFile("voices.bin", `It has ${size} bytes; ${count} speakers need ${expected}.`);
  }
}

function findVocoder(names: readonly string[]): string {
  const vocoder = names.find((name) => VOCODER.test(name));
  if (vocoder === undefined)
    throw new UnusableFile("vocos.onnx", "A Matcha model needs a vocoder in the same folder.");
  return vocoder;
}

function needsEspeak(kind: VoiceKind, metadata: ReadonlyMap<string, string>): boolean {
  if (kind === "kitten") return true;
  return metadata.get("has_espeak") === "1" || /piper/.test(metadata.get("comment") ?? "");
}

function addTextFiles(files: EngineFiles, directory: string, names: readonly string[]): void {
  const all = (list: readonly string[]) => list.map((name) => path.join(directory, name)).join(",");
  // Only one lexicon of a language can be used: American English rather than British.
  const lexicons = names.filter((name) => /^lexicon.*\.txt$/.test(name) && name !== "lexicon-gb-en.txt");
  if (lexicons.length > 0) files.lexicon = all(lexicons);
  const rules = names.filter((name) => name.endsWith(".fst"));
  const rank = (name: string) =>
    (RULES.findIndex((rule) => name.startsWith(rule)) + RULES.length + 1) % (RULES.length + 1);
  if (rules.length > 0) files.ruleFsts = all(rules.sort((a, b) => rank(a) - rank(b)));
  const archives = names.filter((name) => name.endsWith(".far"));
  if (archives.length > 0) files.ruleFars = all(archives);
}

async function readPiperJson(directory: string, model: string, names: readonly string[]) {
  const file = `${model}.json`;
  if (!names.includes(file)) return null;
  try {
    return PiperJson.parse(JSON.parse(await readFile(path.join(directory, file), "utf8")));
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    throw new UnusableFile(file, "This is not Piper's description of a model.");
  }
}

type PiperFacts = Awaited<ReturnType<typeof readPiperJson>>;

function languagesOf(kind: VoiceKind, metadata: ReadonlyMap<string, string>, piper: PiperFacts): string[] {
  const sources = [piper?.language?.code, metadata.get("language")];
  // In a Kokoro model, `voice` is only the default for phonemes; in other kinds it is the model's language.
  if (kind !== "kokoro") sources.splice(1, 0, metadata.get("voice"));
  for (const source of sources) {
    const found = readLanguages(source ?? "");
    if (found.length > 0) return found;
  }
  return [];
}

/** The speakers' names in the order of their numbers. */
function speakerNames(metadata: ReadonlyMap<string, string>, piper: PiperFacts, count: number): string[] {
  const listed = (metadata.get("speaker_names") ?? "").split(",").map((name) => name.trim());
  if (listed.length === count && listed.every((name) => name !== "") && new Set(listed).size === count)
    return listed;
  const byNumber = new Map(Object.entries(piper?.speaker_id_map ?? {}).map(([name, id]) => [id, name]));
  return Array.from(
    { length: count },
    (_, id) => byNumber.get(id) ?? (count === 1 ? "default" : `speaker-${id}`),
  );
}

/** Kokoro's names say language and gender; Kitten's end with the gender. */
function speakersOf(kind: VoiceKind, names: readonly string[], languages: readonly string[]): VoiceSpeaker[] {
  return names.map((name) => {
    if (kind === "kokoro") {
      const named = readKokoroName(name);
      return {
        name,
        languages: named ? [named.language] : [...languages],
        gender: named?.gender ?? "neutral",
      };
    }
    const gender = name.endsWith("-f") ? "female" : name.endsWith("-m") ? "male" : "neutral";
    return { name, languages: [...languages], gender };
  });
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(path.join(entry.parentPath ?? entry.path, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const ENGLISH_NAMES = new Intl.DisplayNames("en", { type: "language" });

/** BCP-47 base languages by their English names in lower case. */
const LANGUAGES_BY_NAME: ReadonlyMap<string, string> = new Map(
  ["en", ...ESPEAK_LANGUAGES.keys()].map((tag) => [(ENGLISH_NAMES.of(tag) ?? tag).toLowerCase(), tag]),
);

/** `en-us`, `en_US`, `cmn` as `en-US`, `zh`; null for anything else. */
function readTag(text: string): string | null {
  const [language = "", region] = text.trim().replace(/_/g, "-").split("-");
  if (!/^[a-z]{2,3}$/i.test(language)) return null;
  const base = baseLanguage(language);
  if (base !== "en" && !ESPEAK_LANGUAGES.has(base)) return null;
  return region !== undefined && /^[a-z]{2}$/i.test(region) ? `${base}-${region.toUpperCase()}` : base;
}

/**
 * The BCP-47 tags in a model's own words: tags (`en_US`), espeak-ng's voices (`en-us`, `cmn`), or English names, with
 * commas between them ("multi-lang, e.g., English, Chinese").
 */
export function readLanguages(text: string): string[] {
  const found = text.split(/[,;/+]/).flatMap((part) => {
    const word = part.trim().replace(/^e\.g\.\s*/i, "");
    return readTag(word) ?? LANGUAGES_BY_NAME.get(word.toLowerCase()) ?? [];
  });
  return [...new Set(found)];
}
