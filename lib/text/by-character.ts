/** Distinct results that can be told apart, besides "not asked yet". */
const MOST_RESULTS = 255;

/**
 * `classify` remembered for each character it was asked about, so that a long text costs an array read per character.
 * `classify` takes one code point (or a lone surrogate) and returns a primitive, of at most 255 different ones.
 */
export function rememberByCharacter<T extends string | number | boolean | null>(
  classify: (character: string) => T,
): (character: string) => T {
  const results: T[] = [];
  /** The place of each character's result among `results`, from 1; 0: not asked yet. Pages that nobody asks about take no memory. */
  const places = new Uint8Array(0x110000);
  return (character) => {
    const code = character.codePointAt(0);
    if (code === undefined) return classify(character);
    const known = places[code] ?? 0;
    const found = results[known - 1];
    if (found !== undefined) return found;
    const result = classify(character);
    const at = results.indexOf(result);
    if (at === -1 && results.length >= MOST_RESULTS) return result;
    places[code] = at === -1 ? results.push(result) : at + 1;
    return result;
  };
}
