export type Cell = string | number | boolean | null;

/**
 * Positions before a sign at which a spreadsheet may read a formula: the start of the text, and after each character
 * that some locale uses as a separator, since a spreadsheet that expects `;` ignores the quotes around a cell.
 * Full-width signs count too.
 */
const FORMULA = /(?:^|(?<=[;,|\t\r\n]))(?= *[=+\-@\t\r＝＋－＠])/g;

/**
 * A cell of a CSV file (RFC 4180). Text is always quoted, and an apostrophe makes a spreadsheet show a formula as text
 * (OWASP, CSV injection); numbers are not quoted.
 */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return `"${value.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}
