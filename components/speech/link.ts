import { MAX_SPEAKERS, type SpeechCall } from "../../lib/client/speech-call";
import { type Candidate, MAX_CANDIDATES } from "./candidates";

/** What a link may set: the call, and the voices that speak it in a comparison. */
export type SpeechLink = Partial<SpeechCall> & { candidates?: Candidate[] };

/**
 * Writes a call to a URL fragment, which browsers do not send to servers: `#text=…&model=…&voice=Kore`, or
 * `&speaker=Ana|Kore` once per speaker of a script, or `&compare=model|Kore` once per voice of a comparison.
 */
export function writeSpeechLink(call: SpeechCall, candidates: readonly Candidate[] = []): string {
  const fields = new URLSearchParams();
  if (call.text) fields.set("text", call.text);
  if (call.model) fields.set("model", call.model);
  if (call.voices.kind === "script") {
    for (const one of call.voices.speakers) fields.append("speaker", `${one.name}|${one.voice}`);
  } else if (call.voices.voice) fields.set("voice", call.voices.voice);
  if (call.language) fields.set("language", call.language);
  if (call.speed !== 1) fields.set("speed", String(call.speed));
  if (call.instructions) fields.set("instructions", call.instructions);
  for (const { model, voice } of candidates) fields.append("compare", `${model}|${voice}`);
  return `#${fields.toString()}`;
}

/** Reads a URL fragment; missing and invalid fields are absent. Null without any field of a speech link. */
export function readSpeechLink(fragment: string): SpeechLink | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const call: SpeechLink = {};
  const text = fields.get("text");
  if (text !== null) call.text = text;
  const model = fields.get("model");
  if (model) call.model = model;
  const pairs = (name: string, limit: number) =>
    fields
      .getAll(name)
      .slice(0, limit)
      .flatMap((one) => {
        const cut = one.lastIndexOf("|");
        return cut > 0 ? [{ name: one.slice(0, cut), voice: one.slice(cut + 1) }] : [];
      });
  const speakers = pairs("speaker", MAX_SPEAKERS);
  const candidates = pairs("compare", MAX_CANDIDATES);
  const voice = fields.get("voice");
  if (speakers.length > 0) call.voices = { kind: "script", speakers };
  else if (voice) call.voices = { kind: "single", voice };
  const language = fields.get("language");
  if (language && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language)) call.language = language;
  const speed = Number(fields.get("speed") ?? Number.NaN);
  if (speed >= 0.25 && speed <= 4) call.speed = speed;
  const instructions = fields.get("instructions");
  if (instructions) call.instructions = instructions;
  if (candidates.length > 0)
    call.candidates = candidates.map((one) => ({ model: one.name, voice: one.voice }));
  return Object.keys(call).length === 0 ? null : call;
}
