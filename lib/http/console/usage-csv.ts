import { USAGE_COLUMNS, type UsageRow } from "../../contracts/console/usage";

/**
 * Where a spreadsheet may start a cell and read it as a formula: the start of the text, and after each separator that
 * some locale splits at, since a spreadsheet that expects `;` ignores the quotes around a cell. Full-width forms count.
 */
const FORMULA = /(?:^|(?<=[;,|\t\r\n]))(?= *[=+\-@\t\r＝＋－＠])/g;

/** Text is always quoted, and an apostrophe keeps a formula text (OWASP, CSV injection); numbers are bare. */
function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return `"${value.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}

/** RFC 4180 with a line of names on top, a chunk for each page of rows. */
export async function* usageCsv(pages: AsyncIterable<UsageRow[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${USAGE_COLUMNS.join(",")}\r\n`);
  for await (const rows of pages) {
    const lines = rows.map((row) => USAGE_COLUMNS.map((column) => cell(row[column])).join(","));
    if (lines.length > 0) yield Buffer.from(`${lines.join("\r\n")}\r\n`);
  }
}
