import type { ChannelDraft } from "./channel-draft";

const pick = <T>(base: T, mine: T, theirs: T): T => (mine === base ? theirs : mine);

/** Merges texts by name; a missing text counts as empty. */
function mergeTexts<T extends Readonly<Partial<Record<string, string>>>>(base: T, mine: T, theirs: T): T {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  const texts = [...names].map((name) => [
    name,
    pick(base[name] ?? "", mine[name] ?? "", theirs[name] ?? ""),
  ]);
  // Type assertion: the result has the names and value types of the three inputs.
  return Object.fromEntries(texts) as T;
}

function isSameRow(a: { id: string }, b: { id: string }): boolean {
  return JSON.stringify({ ...a, id: "" }) === JSON.stringify({ ...b, id: "" });
}

/** Merges rows. Rows of `mine` keep the IDs of `base`; those of `theirs` may have new IDs, so `nameOf` matches them. */
function mergeRows<T extends { id: string }>(
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  nameOf: (row: T) => string,
): T[] {
  const baseRow = (id: string) => base.find((row) => row.id === id);
  const added = mine.filter(({ id }) => baseRow(id) === undefined);
  const addedNames = new Set(added.map(nameOf));
  const theirNames = new Set(theirs.map(nameOf));
  const stored = theirs.flatMap((row) => {
    if (addedNames.has(nameOf(row))) return [];
    const before = base.find((one) => nameOf(one) === nameOf(row));
    if (before === undefined) return [row];
    const now = mine.find(({ id }) => id === before.id);
    if (now === undefined) return [];
    return [isSameRow(now, before) ? row : { ...now, id: row.id }];
  });
  const changedButRemoved = mine.filter((row) => {
    const before = baseRow(row.id);
    return before !== undefined && !isSameRow(row, before) && !theirNames.has(nameOf(before));
  });
  return [...stored, ...changedButRemoved, ...added];
}

function mergeModels(base: ChannelDraft, mine: ChannelDraft, theirs: ChannelDraft): ChannelDraft["models"] {
  const known = new Set(base.models.map(({ id }) => id));
  const served = new Set(theirs.models.map(({ upstream }) => upstream));
  // A model that the upstream listed may have been selected elsewhere since.
  const rows = mine.models.filter((row) => row.isOn || known.has(row.id) || !served.has(row.upstream));
  return mergeRows(base.models, rows, theirs.models, ({ upstream, name }) => `${upstream}\n${name}`);
}

function mergeKeys(base: ChannelDraft, mine: ChannelDraft, theirs: ChannelDraft): ChannelDraft["keys"] {
  const stored = new Set(theirs.keys.map(({ id }) => id));
  // A stored key that was removed elsewhere cannot be saved again: the browser does not have its text.
  return mergeRows(base.keys, mine.keys, theirs.keys, ({ id }) => id).filter(
    (key) => key.kind === "new" || stored.has(key.id),
  );
}

/**
 * Three-way merge after the channel was changed elsewhere: the newest version with the user's changes applied. `base`:
 * the draft when the form was opened; `mine`: the user's draft; `theirs`: a draft of the newest version.
 */
export function mergeDraft(base: ChannelDraft, mine: ChannelDraft, theirs: ChannelDraft): ChannelDraft {
  return {
    ...theirs,
    baseUrl: pick(base.baseUrl, mine.baseUrl, theirs.baseUrl),
    name: pick(base.name, mine.name, theirs.name),
    weight: pick(base.weight, mine.weight, theirs.weight),
    rpm: pick(base.rpm, mine.rpm, theirs.rpm),
    concurrency: pick(base.concurrency, mine.concurrency, theirs.concurrency),
    batching: pick(base.batching, mine.batching, theirs.batching),
    timeouts: mergeTexts(base.timeouts, mine.timeouts, theirs.timeouts),
    options: mergeTexts(base.options, mine.options, theirs.options),
    keys: mergeKeys(base, mine, theirs),
    models: mergeModels(base, mine, theirs),
    headers: mergeRows(base.headers, mine.headers, theirs.headers, ({ name }) => name.trim().toLowerCase()),
    voices: mergeRows(base.voices, mine.voices, theirs.voices, ({ name }) => name.trim()),
  };
}
