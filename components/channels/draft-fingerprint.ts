import type { ChannelDraft, DraftKey, ModelRow } from "./channel-draft";

const keyText = (key: DraftKey) => (key.kind === "stored" ? key.id : key.text.trim());

/** True for rows the user selected or typed; false for models the upstream merely listed. */
const isUserInput = ({ isOn, isManual, upstream, name }: ModelRow) =>
  isManual ? upstream + name !== "" : isOn;

/**
 * The user's input in a draft as text, to detect unsaved changes. Empty rows and a name derived from the provider do
 * not count.
 */
export function draftFingerprint(draft: ChannelDraft): string {
  return JSON.stringify([
    draft.baseUrl,
    draft.keys.map((key) => [keyText(key), key.label.trim()]).filter(([text, label]) => text || label),
    draft.models
      .filter(isUserInput)
      .map(({ upstream, name, operation, isOn }) => [upstream, name, operation, isOn]),
    draft.isNameEdited ? draft.name : "",
    [draft.weight, draft.rpm, draft.concurrency],
    draft.timeouts,
    draft.headers.map(({ name, value }) => [name, value]).filter(([name, value]) => name || value),
    draft.batching,
    Object.entries(draft.options).filter(([, text]) => text.trim() !== ""),
    draft.voices.map(({ name, value }) => [name, value]).filter(([name, value]) => name || value),
  ]);
}
