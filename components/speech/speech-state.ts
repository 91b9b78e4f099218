import type { Speaker, SpeechCall } from "@/lib/client/speech-call";

/** What the visitor has set; one voice and a cast are both kept, so that changing the mode loses nothing. */
export interface SpeechDraft {
  text: string;
  model: string;
  mode: "single" | "script";
  voice: string;
  speakers: Speaker[];
  language: string | null;
  speed: number;
}

/** Scripts have no speed, and the form that sets speed has no language: what the call cannot carry is not in it. */
export function callOf(draft: SpeechDraft): SpeechCall {
  const isScript = draft.mode === "script";
  const speed = isScript ? 1 : draft.speed;
  return {
    model: draft.model,
    text: draft.text,
    cast: isScript
      ? { kind: "script", speakers: draft.speakers }
      : { kind: "single", voice: draft.voice || null },
    language: speed === 1 ? draft.language : null,
    speed,
  };
}

/** The draft with what a link or a take says. */
export function withCall(draft: SpeechDraft, call: Partial<SpeechCall>): SpeechDraft {
  const { text, model, cast, language, speed } = call;
  return {
    ...draft,
    ...(text === undefined ? {} : { text }),
    ...(model ? { model } : {}),
    ...(cast?.kind === "single"
      ? { mode: "single" as const, ...(cast.voice ? { voice: cast.voice } : {}) }
      : {}),
    ...(cast?.kind === "script" ? { mode: "script" as const, speakers: cast.speakers } : {}),
    ...(language === undefined ? {} : { language }),
    ...(speed === undefined ? {} : { speed }),
  };
}

const STORED = "patchbay-speech-draft";

/** The draft of this tab, so that a reload loses nothing; sign-out empties it with the rest of the session's storage. */
export function readStoredDraft(): Partial<SpeechDraft> | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
    // Written by storeDraft below, in this tab alone.
    return typeof stored === "object" ? (stored as Partial<SpeechDraft> | null) : null;
  } catch {
    return null;
  }
}

export function storeDraft(draft: SpeechDraft): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(draft));
  } catch {
    // No room, or storage switched off: the draft then lives in the page alone.
  }
}

/** Voices for the speakers of a new script, two that differ at once first. */
const FIRST_VOICES = ["Kore", "Puck", "Zephyr", "Charon", "Leda", "Fenrir", "Sulafat", "Algenib"];

/** A cast of these names: who is known keeps the voice, the others get one that nobody has yet. */
export function castOf(names: readonly string[], known: readonly Speaker[]): Speaker[] {
  const speakers: Speaker[] = [];
  for (const name of names) {
    const old = known.find((one) => one.name.toLocaleLowerCase() === name.toLocaleLowerCase());
    speakers.push({ name, voice: old?.voice ?? freeVoice([...known, ...speakers]) });
  }
  return speakers;
}

/** A voice none of the speakers has, as long as there is one. */
export function freeVoice(speakers: readonly Speaker[]): string {
  const isTaken = (voice: string) => speakers.some((one) => one.voice === voice);
  return FIRST_VOICES.find((voice) => !isTaken(voice)) ?? "Kore";
}

/** The colour of a speaker's lines, in a fixed order: the meanings' hues and what lies between them. */
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
