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

export function callOf(draft: SpeechDraft): SpeechCall {
  return {
    model: draft.model,
    text: draft.text,
    cast:
      draft.mode === "script"
        ? { kind: "script", speakers: draft.speakers }
        : { kind: "single", voice: draft.voice || null },
    language: draft.language,
    speed: draft.mode === "script" ? 1 : draft.speed,
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

/** The colour of a speaker's lines: the accent and the meanings' hues, in a fixed order (theme variables only). */
const HUES = [
  "var(--info)",
  "var(--signal)",
  "var(--good)",
  "var(--bad)",
  "var(--warn)",
  "color-mix(in oklch, var(--info), var(--bad))",
  "color-mix(in oklch, var(--info), var(--good))",
  "var(--ink-muted)",
] as const;

export function hueOf(index: number): string {
  return HUES[index % HUES.length] ?? HUES[0];
}
