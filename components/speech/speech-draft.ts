import type { GatewayModel } from "@/lib/client/gateway-models";
import type { Speaker, SpeechCall } from "@/lib/client/speech-call";
import { readStoredJson, writeStored } from "@/lib/client/storage";
import { isSameName } from "@/lib/contracts/gateway/speech-script";
import type { Candidate } from "./candidates";
import type { SpeechLink } from "./link";

/** The settings of the page. Those of every mode are stored, so that switching the mode loses none. */
export interface SpeechDraft {
  text: string;
  model: string;
  mode: "single" | "several" | "script";
  voice: string;
  speakers: Speaker[];
  /** The voices of a comparison. */
  candidates: Candidate[];
  language: string | null;
  speed: number;
  instructions: string;
}

/** The settings of a new draft, and of a call that leaves them out. */
export const DEFAULT_SETTINGS = { mode: "single", language: null, speed: 1, instructions: "" } as const;

type Abilities = Pick<GatewayModel, "takesInstructions" | "defaultVoice">;

/**
 * The call of a draft, which uses the model's default voice if it has none. Leaves out what the endpoint cannot carry:
 * speed and instructions for a script, and the language with speed or instructions, which need the OpenAI endpoint.
 */
export function callOf(draft: SpeechDraft, model: Abilities | null): SpeechCall {
  const isScript = draft.mode === "script";
  const speed = isScript ? 1 : draft.speed;
  const instructions = isScript || !model?.takesInstructions ? "" : draft.instructions.trim();
  return {
    model: draft.model,
    text: draft.text,
    voices: isScript
      ? { kind: "script", speakers: draft.speakers }
      : { kind: "single", voice: draft.voice || model?.defaultVoice || null },
    language: speed === 1 && instructions === "" ? draft.language : null,
    speed,
    ...(instructions === "" ? {} : { instructions }),
  };
}

/**
 * The voice after a change of the model. The new model's default voice replaces a voice that the new model does not
 * have. While its voices are unknown (`offered` null), only the former model's default voice is replaced.
 */
export function voiceForModel(
  voice: string,
  former: Pick<Abilities, "defaultVoice"> | null,
  next: Pick<Abilities, "defaultVoice"> | null,
  offered: readonly string[] | null,
): string {
  const isKept = offered === null ? voice !== (former?.defaultVoice ?? "") : offered.includes(voice);
  return isKept ? voice : (next?.defaultVoice ?? offered?.[0] ?? "");
}

/**
 * The calls of a comparison: the draft in each of its voices. All calls have the same language; none has one if one of
 * the models follows instructions.
 */
export function callsOf(
  draft: SpeechDraft,
  findModel: (name: string) => Abilities | null,
): { candidate: Candidate; call: SpeechCall }[] {
  const calls = draft.candidates.map((candidate) => ({
    candidate,
    call: callOf({ ...draft, ...candidate, mode: "single" }, findModel(candidate.model)),
  }));
  if (calls.every(({ call }) => call.instructions === undefined)) return calls;
  return calls.map(({ candidate, call }) => ({ candidate, call: { ...call, language: null } }));
}

/**
 * Applies a link or the call of a take to the draft. A link with only a model changes no other setting, except that a
 * model other than the draft's brings its default voice. Any other link describes a whole call: absent settings get
 * their defaults, an absent text stays as it is, and a model without a voice gets that model's default voice.
 */
export function withCall(
  draft: SpeechDraft,
  call: SpeechLink,
  models: readonly Pick<GatewayModel, "name" | "defaultVoice">[],
): SpeechDraft {
  const { voices, ...fields } = call;
  const isCall = Object.keys(call).some((field) => field !== "model");
  const changed: SpeechDraft = { ...draft, ...(isCall ? DEFAULT_SETTINGS : {}), ...fields };
  if (voices?.kind === "single") {
    changed.voice = voices.voice ?? "";
  } else if (voices) {
    changed.mode = "script";
    changed.speakers = voices.speakers;
  } else if (call.model !== undefined && (isCall || call.model !== (draft.model || models[0]?.name))) {
    changed.voice = models.find((one) => one.name === call.model)?.defaultVoice ?? "";
  }
  if (fields.candidates) changed.mode = "several";
  return changed;
}

const STORED = "patchbay-speech-draft";

/** The draft of this tab, so that a reload loses nothing; `clearOtherUsersData` deletes another user's. */
export function readStoredDraft(): Partial<SpeechDraft> | null {
  const stored = readStoredJson("sessionStorage", STORED);
  // Written by storeDraft below, in this tab only.
  return typeof stored === "object" ? (stored as Partial<SpeechDraft> | null) : null;
}

export const storeDraft = (draft: Partial<SpeechDraft>) =>
  writeStored("sessionStorage", STORED, JSON.stringify(draft));

/** Default voices of new speakers; the first two are easy to distinguish. */
const DEFAULT_VOICES = ["Kore", "Puck", "Zephyr", "Charon", "Leda", "Fenrir", "Sulafat", "Algenib"];

/** Speakers with these names: known speakers keep their voices, the others get voices that are not taken. */
export function assignVoices(names: readonly string[], known: readonly Speaker[]): Speaker[] {
  const speakers: Speaker[] = [];
  for (const name of names) {
    const existing = known.find((one) => isSameName(one.name, name));
    speakers.push({ name, voice: existing?.voice ?? freeVoice([...known, ...speakers]) });
  }
  return speakers;
}

/** A default voice that no speaker has; Kore when all are taken. */
export function freeVoice(speakers: readonly Speaker[]): string {
  const isTaken = (voice: string) => speakers.some((one) => one.voice === voice);
  return DEFAULT_VOICES.find((voice) => !isTaken(voice)) ?? "Kore";
}

/** Colours of the speakers by index: the theme's status colours and mixtures of them. */
const HUES = [
  "var(--info)",
  "var(--warn)",
  "color-mix(in oklch, var(--info), var(--bad))",
  "var(--good)",
  "var(--bad)",
  "color-mix(in oklch, var(--info), var(--good))",
  "color-mix(in oklch, var(--warn), var(--bad))",
  "var(--ink-muted)",
] as const;

export function hueOf(index: number): string {
  return HUES[index % HUES.length] ?? HUES[0];
}
