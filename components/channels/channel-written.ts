import type { ChannelDraft, DraftKey, ModelRow } from "./channel-draft";

const keyText = (key: DraftKey) => (key.kind === "kept" ? key.id : key.text.trim());

/** Rows that somebody serves or wrote; what an upstream merely listed is nobody's words. */
const isWritten = ({ isOn, isOwn, upstream, name }: ModelRow) => (isOwn ? upstream + name !== "" : isOn);

/**
 * What somebody wrote or chose in a draft, as a text to compare with another's. Empty rows count for nothing, nor does a
 * name that follows the provider.
 */
export function writtenIn(draft: ChannelDraft): string {
  return JSON.stringify([
    draft.baseUrl,
    draft.keys.map(keyText).filter(Boolean),
    draft.models
      .filter(isWritten)
      .map(({ upstream, name, operation, isOn }) => [upstream, name, operation, isOn]),
    draft.isNameOwn ? draft.name : "",
    [draft.weight, draft.rpm, draft.concurrency],
    draft.timeouts,
    draft.headers.map(({ name, value }) => [name, value]).filter(([name, value]) => name || value),
    draft.coalescing,
    draft.options,
  ]);
}
