/** Conversions between what a request holds and what a text field shows. An empty field means null. */

export const numberText = (value: number | null): string => (value === null ? "" : String(value));

/** `12.500000000` → `12.50`. */
export const dollarsText = (usd: string | null): string =>
  usd === null ? "" : usd.replace(/(\.\d{2}\d*?)0+$/, "$1");

export const numberOrNull = (text: string): number | null => (text.trim() === "" ? null : Number(text));

export const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** The words of a text separated by spaces, commas or semicolons. */
export const splitWords = (text: string): string[] => text.split(/[\s,;，；]+/u).filter(Boolean);
