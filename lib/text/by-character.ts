/** Distinct results that one byte can index besides 0, which means "not classified yet". */
const MAX_RESULTS = 255;

/**
 * Caches `classify` per character, so that a long text costs one array read per character. `classify` takes one code
 * point (or an unpaired surrogate) and returns a primitive, with at most 255 different values.
 */
export function memoizeByCharacter<T extends string | number | boolean | null>(
  classify: (character: string) => T,
): (character: string) => T {
  const results: T[] = [];
  /**
   * The index of each character's result in `results`, from 1; 0: not classified yet. Memory pages that no lookup
   * touches are never allocated.
   */
  const indexes = new Uint8Array(0x110000);
  return (character) => {
    const code = character.codePointAt(0);
    if (code === undefined) return classify(character);
    const known = indexes[code] ?? 0;
    const found = results[known - 1];
    if (found !== undefined) return found;
    const result = classify(character);
    const at = results.indexOf(result);
    if (at === -1 && results.length >= MAX_RESULTS) return result;
    indexes[code] = at === -1 ? results.push(result) : at + 1;
    return result;
  };
}
