import { type Table, valueAt } from "./similarity";

/** The shortest decimal that reads back as the same float32, so files do not carry digits that mean nothing. */
export function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return Number(value.toPrecision(9));
}

/** One vector as a JSON array. */
export function vectorJson(vector: Float32Array): string {
  return `[${Array.from(vector, shortestFloat).join(",")}]`;
}

/** All texts with their vectors as one JSON document. */
export function vectorsJson(
  model: string,
  texts: readonly string[],
  vectors: readonly Float32Array[],
): string {
  const rows = vectors.map(
    (vector, at) =>
      `{"index":${at},"text":${JSON.stringify(texts[at] ?? "")},"embedding":${vectorJson(vector)}}`,
  );
  return `{"model":${JSON.stringify(model)},"dimensions":${vectors[0]?.length ?? 0},"data":[\n${rows.join(",\n")}\n]}\n`;
}

/** A cell of a CSV. A text that a spreadsheet would run as a formula is led by an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One row a text: index, text, then the numbers. */
export function vectorsCsv(texts: readonly string[], vectors: readonly Float32Array[]): string {
  const head = ["index", "text", ...Array.from(vectors[0] ?? [], (_, at) => `d${at}`)].join(",");
  const rows = vectors.map((vector, at) =>
    [String(at), cell(texts[at] ?? ""), ...Array.from(vector, (value) => String(shortestFloat(value)))].join(
      ",",
    ),
  );
  return `${[head, ...rows].join("\r\n")}\r\n`;
}

/** The matrix of cosines as a CSV: the texts head its rows and its columns. */
export function similarityCsv(texts: readonly string[], table: Table): string {
  const head = ["", ...texts.map(cell)].join(",");
  const rows = texts.map((text, row) =>
    [
      cell(text),
      ...texts.map((_, column) => String(Number(valueAt(table, row, column).toPrecision(6)))),
    ].join(","),
  );
  return `${[head, ...rows].join("\r\n")}\r\n`;
}
