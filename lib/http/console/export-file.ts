import type { ExportFormat } from "../../contracts/console/usage";

type Cell = string | number | boolean | null;

/**
 * Positions before a sign at which a spreadsheet may read a formula: the start of the text, and after each character
 * that some locale uses as a separator, since a spreadsheet that expects `;` ignores the quotes around a cell.
 * Full-width signs count too.
 */
const FORMULA = /(?:^|(?<=[;,|\t\r\n]))(?= *[=+\-@\t\r＝＋－＠])/g;

/** Text is always quoted, and an apostrophe keeps a formula text (OWASP, CSV injection); numbers are bare. */
function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return `"${value.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}

const FORMATS = {
  /** RFC 4180, with a header line. */
  csv: {
    contentType: "text/csv; charset=utf-8",
    head: (columns: readonly string[]) => `${columns.join(",")}\r\n`,
    line: (cells: readonly (readonly [string, Cell])[]) =>
      `${cells.map(([, value]) => csvCell(value)).join(",")}\r\n`,
  },
  /** One JSON object a line (jsonlines.org). */
  jsonl: {
    contentType: "application/x-ndjson; charset=utf-8",
    head: () => "",
    line: (cells: readonly (readonly [string, Cell])[]) => `${JSON.stringify(Object.fromEntries(cells))}\n`,
  },
} as const satisfies Record<ExportFormat, unknown>;

/** A download of rows in this format, `<name>.csv` or `<name>.jsonl`, with a chunk for each page. */
export function exportFile<Column extends string>(
  name: string,
  format: ExportFormat,
  columns: readonly Column[],
  pages: AsyncIterable<readonly Readonly<Record<Column, Cell>>[]>,
): { contentType: string; name: string; body: AsyncGenerator<Uint8Array> } {
  const { contentType, head, line } = FORMATS[format];
  async function* body(): AsyncGenerator<Uint8Array> {
    const first = head(columns);
    if (first !== "") yield Buffer.from(first);
    for await (const rows of pages) {
      const lines = rows.map((row) => line(columns.map((column) => [column, row[column]] as const)));
      if (lines.length > 0) yield Buffer.from(lines.join(""));
    }
  }
  return { contentType, name: `${name}.${format}`, body: body() };
}
