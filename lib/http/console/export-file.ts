import type { ConsoleCaller } from "../../console/context";
import type { ExportFormat } from "../../contracts/console/usage";
import { type Cell, csvCell } from "../../contracts/csv";

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

/** Without a byte order mark, Excel reads UTF-8 in the legacy encoding of its locale. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * A download of rows in this format, `<name>.csv` or `<name>.jsonl`, with a chunk for each page. `caller`: a CSV file
 * begins with a byte order mark for a session, whose browser saves it for a spreadsheet, but not for scripts with a
 * key.
 */
export function exportFile<Column extends string>(
  name: string,
  format: ExportFormat,
  columns: readonly Column[],
  pages: AsyncIterable<readonly Readonly<Record<Column, Cell>>[]>,
  caller: Pick<ConsoleCaller, "kind">,
): { contentType: string; name: string; body: AsyncGenerator<Uint8Array> } {
  const { contentType, head, line } = FORMATS[format];
  async function* body(): AsyncGenerator<Uint8Array> {
    const first = head(columns);
    const mark = caller.kind === "session" ? BYTE_ORDER_MARK : "";
    if (first !== "") yield Buffer.from(mark + first);
    for await (const rows of pages) {
      const lines = rows.map((row) => line(columns.map((column) => [column, row[column]] as const)));
      if (lines.length > 0) yield Buffer.from(lines.join(""));
    }
  }
  return { contentType, name: `${name}.${format}`, body: body() };
}
