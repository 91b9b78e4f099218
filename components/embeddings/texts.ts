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

/** Names of a table's text column. If several columns match, the first pattern of this list wins. */
const TEXT_HEADINGS = [
  /^(texts?|sentences?|content|inputs?|body|comments?|reviews?|messages?|文本|内容|句子|评论)$/i,
  /^(questions?|query|queries|answers?|descriptions?|问题)$/i,
];
/** Columns that hold no texts, whatever their length. */
const NO_TEXT_HEADING =
  /^(#|id|index|key|date|time|timestamp|created_at|lang|language|source|url|link|编号|序号|日期|语言)$/i;
/** Names of other columns. A cell with such a name shows that its row is a header. */
const OTHER_HEADING =
  /^(#|id|index|key|name|title|date|time|timestamp|created_at|author|user|labels?|class|category|type|tags?|lang|language|source|url|rating|score|sentiment|标题|名称|姓名|编号|序号|日期|标签|类别|语言)$/i;

const isNumber = (cell = "") => /^[-+]?\d[\d.,]*$/.test(cell.trim());

const isOfNumbers = (rows: readonly string[][], column: number) =>
  rows.length > 0 && rows.every((row) => isNumber(row[column]));

/** Whether the first row is a header: it has a usual column name, or a name above a column of numbers. */
function hasHeader([first = [], ...rows]: readonly string[][]): boolean {
  const names = first.length > 1 ? [...TEXT_HEADINGS, OTHER_HEADING] : TEXT_HEADINGS;
  return first.some((cell, column) => {
    const name = cell.trim();
    if (names.some((one) => one.test(name))) return true;
    return name !== "" && !isNumber(name) && isOfNumbers(rows, column);
  });
}

/** Guesses the separator from the first line of a CSV: tab, semicolon or comma. */
function separatorOf(text: string): string {
  const first = text.split(/\r\n?|\n/, 1)[0] ?? "";
  if (first.includes("\t")) return "\t";
  return first.split(";").length > first.split(",").length ? ";" : ",";
}

/**
 * The texts of a table, without its header: the column named "text", "sentence", "content" etc., else the one with the
 * most characters, apart from IDs, dates and addresses.
 */
export function textsOfCsv(text: string): string[] {
  const rows = parseCsv(text, separatorOf(text));
  const [first = []] = rows;
  const isNamed = hasHeader(rows);
  const texts = isNamed ? rows.slice(1) : rows;
  const named = TEXT_HEADINGS.map((names) =>
    first.findIndex((cell, column) => names.test(cell.trim()) && !isOfNumbers(texts, column)),
  ).find((at) => at >= 0);
  // No spread: a file may have more rows than a function can have arguments.
  const width = texts.reduce((max, row) => Math.max(max, row.length), 0);
  const letters = Array.from({ length: width }, (_, column) =>
    isNamed && width > 1 && NO_TEXT_HEADING.test(first[column]?.trim() ?? "")
      ? 0
      : texts.reduce((sum, row) => sum + (row[column]?.length ?? 0), 0),
  );
  const longest = letters.indexOf(letters.reduce((max, count) => Math.max(max, count), 0));
  return texts.map((row) => (row[named ?? longest] ?? "").trim()).filter((cell) => cell !== "");
}

/** The texts of a file; its name decides whether it is parsed as a table. */
export function textsOfFile(name: string, content: string): string[] {
  return /\.(csv|tsv)$/i.test(name) ? textsOfCsv(content) : linesOf(content);
}
