/**
 * A simple estimate of a password's strength: log2 of its alphabet's size per character, where sequences, repeats,
 * years and common words count little. It tends to underestimate, and does not know leaked passwords.
 */
type Strength = 0 | 1 | 2 | 3 | 4;

const COMMON =
  /password|passwort|letmein|welcome|admin|login|master|dragon|monkey|qwerty|qwertz|azerty|asdf|zxcv|iloveyou|secret|changeme|football|baseball|superman|batman|patchbay|test|user|root|guest|hello|sunshine|princess|woaini/g;
const SEQUENCES = ["abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/** 0 (very weak) below 28 bits, 1 (weak) below 40, 2 (fair) below 56, 3 (good) below 72, else 4 (strong). */
export function passwordStrength(password: string, personal: readonly string[] = []): Strength {
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
  for (const word of personal.map((one) => one.toLowerCase()).filter((one) => one.length > 2)) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, "");
    bits += 2;
  }
  rest = rest.replace(COMMON, () => {
    bits += 8;
    return "";
  });
  rest = rest.replace(/(19|20)\d\d/g, () => {
    bits += 6;
    return "";
  });
  rest = withoutSequences(rest, (added) => {
    bits += added;
  });
  const distinct = new Set(rest).size;
  const countable = Math.min([...rest].length, distinct * 2);
  return bits + countable * Math.log2(Math.max(2, alphabetOf(password)));
}

/** Removes repeats (`aaaa`) and alphabet or keyboard sequences (`3456`, `fdsa`), and adds the few bits of each. */
function withoutSequences(text: string, addBits: (bits: number) => void): string {
  let rest = text.replace(/(.)\1{2,}/gu, () => {
    addBits(6);
    return "";
  });
  for (const line of SEQUENCES) {
    for (const row of [line, [...line].reverse().join("")]) {
      for (let length = row.length; length >= 4; length--) {
        for (let start = 0; start + length <= row.length; start++) {
          const run = row.slice(start, start + length);
          if (!rest.includes(run)) continue;
          rest = rest.replaceAll(run, "");
          addBits(7);
        }
      }
    }
  }
  return rest;
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
