import type { ChannelDraft } from "./channel-draft";

const pick = <T>(base: T, mine: T, theirs: T): T => (mine === base ? theirs : mine);

/** The texts by name; a missing one is the empty text. */
function mergeTexts<T extends Readonly<Partial<Record<string, string>>>>(base: T, mine: T, theirs: T): T {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  const texts = [...names].map((name) => [
    name,
    pick(base[name] ?? "", mine[name] ?? "", theirs[name] ?? ""),
  ]);
  // The same names and kinds of values as in the three.
  return Object.fromEntries(texts) as T;
}

function isSameRow(a: { id: string }, b: { id: string }): boolean {
  return JSON.stringify({ ...a, id: "" }) === JSON.stringify({ ...b, id: "" });
}

/** `mine` has the row IDs of `base`; `theirs` has its own, so its rows are found by `nameOf`. */
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
  // A stored key that was removed elsewhere cannot be saved again: nothing here has its text.
  return mergeRows(base.keys, mine.keys, theirs.keys, ({ id }) => id).filter(
    (key) => key.kind === "new" || stored.has(key.id),
  );
}

/**
 * The form after the channel was changed elsewhere: what the user changed since the form was opened, on the newest
 * version. `base`: the draft as the form was opened; `theirs`: a draft of the newest version.
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
