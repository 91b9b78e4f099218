/** Most texts that the page compares at once. */
export const MAX_TEXTS = 500;

/** One text per line; blank lines are skipped. */
export function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Rows of a CSV (RFC 4180): quoted fields may contain separators, doubled quotes and line breaks. */
export function parseCsv(text: string, separator = ","): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    cell = "";
  };
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else cell += character;
  }
  endRow();
  return rows;
}

/** Names of a table's text column; where a table has several, the first of this list. */
const HEADINGS = [
  /^(texts?|sentences?|content|inputs?|body|文本|内容|句子)$/i,
  /^(questions?|description)$/i,
  /^(title|name|标题)$/i,
];

/** Guesses the separator from the first line of a CSV: tab, semicolon or comma. */
function separatorOf(text: string): string {
  const first = text.split(/\r\n?|\n/, 1)[0] ?? "";
  if (first.includes("\t")) return "\t";
  return first.split(";").length > first.split(",").length ? ";" : ",";
}

/**
 * The texts of a table: the column named "text", "sentence", "content" etc. without its header, else the column with
 * the most characters.
 */
export function textsOfCsv(text: string): string[] {
  const rows = parseCsv(text, separatorOf(text));
  const [first = []] = rows;
  const named =
    HEADINGS.map((names) => first.findIndex((cell) => names.test(cell.trim()))).find((at) => at >= 0) ?? -1;
  // No spread: a file may have more rows than a function can have arguments.
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
  const letters = Array.from({ length: width }, (_, column) =>
    rows.reduce((sum, row) => sum + (row[column]?.length ?? 0), 0),
  );
  const column =
    named >= 0 ? named : letters.indexOf(letters.reduce((max, count) => Math.max(max, count), 0));
  return rows
    .slice(named >= 0 ? 1 : 0)
    .map((row) => (row[column] ?? "").trim())
    .filter((cell) => cell !== "");
}

/** The texts of a file; its name decides whether it is parsed as a table. */
export function textsOfFile(name: string, content: string): string[] {
  return /\.(csv|tsv)$/i.test(name) ? textsOfCsv(content) : linesOf(content);
}
