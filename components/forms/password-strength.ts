/**
 * A simple estimate of a password's strength: log2 of its alphabet's size per character, where sequences, repeats,
 * years and common words count little. It tends to underestimate, and does not know leaked passwords.
 */
type Strength = 0 | 1 | 2 | 3 | 4;

const COMMON =
  /password|passwort|letmein|welcome|admin|login|master|dragon|monkey|qwerty|qwertz|azerty|asdf|zxcv|iloveyou|secret|changeme|football|baseball|superman|batman|patchbay|test|user|root|guest|hello|sunshine|princess|woaini/g;
const SEQUENCES = ["abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
/** Parts of the alphabet and of keyboard rows (`3456`, `fdsa`), the longest first. */
const RUNS = SEQUENCES.flatMap((line) => [line, [...line].reverse().join("")]).flatMap((row) => {
  const lengths = Array.from({ length: row.length - 3 }, (_, index) => row.length - index);
  return lengths.flatMap((length) =>
    Array.from({ length: row.length - length + 1 }, (_, start) => row.slice(start, start + length)),
  );
});

/** 0 (very weak) below 28 bits, 1 (weak) below 40, 2 (fair) below 56, 3 (good) below 72, else 4 (strong). */
export function passwordStrength(password: string, personal: readonly string[]): Strength {
  const bits = entropyBits(password, personal);
  if (bits < 28) return 0;
  if (bits < 40) return 1;
  if (bits < 56) return 2;
  if (bits < 72) return 3;
  return 4;
}

function entropyBits(password: string, personal: readonly string[]): number {
  let rest = password.normalize("NFC").toLowerCase();
  let bits = 0;
  /** Removes a text; all its occurrences together count `worth` bits. */
  const removeText = (text: string, worth: number) => {
    if (!rest.includes(text)) return;
    rest = rest.replaceAll(text, "");
    bits += worth;
  };
  /** Removes the matches of a pattern, each of which counts `worth` bits. */
  const removeMatches = (pattern: RegExp, worth: number) => {
    rest = rest.replace(pattern, () => {
      bits += worth;
      return "";
    });
  };
  for (const word of personal.map((one) => one.toLowerCase())) if (word.length > 2) removeText(word, 2);
  removeMatches(COMMON, 8);
  removeMatches(/(19|20)\d\d/g, 6);
  removeMatches(/(.)\1{2,}/gu, 6);
  for (const run of RUNS) removeText(run, 7);
  const countable = Math.min([...rest].length, new Set(rest).size * 2);
  return bits + countable * Math.log2(Math.max(2, alphabetOf(password)));
}

function alphabetOf(password: string): number {
  let size = 0;
  if (/[a-z]/.test(password)) size += 26;
  if (/[A-Z]/.test(password)) size += 26;
  if (/\d/.test(password)) size += 10;
  if (/[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(password)) size += 33;
  if (/[^\x20-\x7e]/.test(password)) size += 200;
  return size;
}
