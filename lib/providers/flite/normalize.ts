/** Signs that flite skips, in English words. */
const SPOKEN: Readonly<Record<string, string>> = {
  "€": " euros ",
  "£": " pounds ",
  "¥": " yen ",
  "°": " degrees ",
  "×": " times ",
  "÷": " divided by ",
  "±": " plus or minus ",
  "©": " copyright ",
  "®": " ",
  "™": " ",
  ß: "ss",
  æ: "ae",
  Æ: "Ae",
  œ: "oe",
  Œ: "Oe",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  ı: "i",
  ð: "th",
  þ: "th",
};

/**
 * English text in ASCII, which is all that flite knows: no accents, plain quotes and dashes, foreign digits converted,
 * the rest left out.
 */
export function toFliteText(text: string): string {
  return text
    .replace(/[‘’‚‛ʼ]/gu, "'")
    .replace(/[“”„‟«»]/gu, '"')
    .replace(/[–—―]/gu, ", ")
    .replace(/…/gu, ". ")
    .replace(/[^ -~]/gu, (character) => SPOKEN[character] ?? character)
    .normalize("NFKD")
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
    .replace(/[^ -~]/gu, (character) => (/\p{M}/u.test(character) ? "" : " "))
    .replace(/ +/g, " ")
    .trim();
}

/** Decimal digits come in groups of ten that begin with a zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}
