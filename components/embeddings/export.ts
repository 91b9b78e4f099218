import { csvCell } from "@/lib/contracts/csv";
import { type SquareMatrix, valueAt } from "./similarity";

/** The shortest decimal that parses to the same float32, so that files carry no meaningless digits. */
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

/** One row per text: index, text, then the vector's components. */
export function vectorsCsv(texts: readonly string[], vectors: readonly Float32Array[]): string {
  const head = ["index", "text", ...Array.from(vectors[0] ?? [], (_, at) => `d${at}`)].join(",");
  const rows = vectors.map((vector, at) =>
    [
      String(at),
      csvCell(texts[at] ?? ""),
      ...Array.from(vector, (value) => String(shortestFloat(value))),
    ].join(","),
  );
  return `${[head, ...rows].join("\r\n")}\r\n`;
}

/** The matrix of cosines as CSV, with the texts as row and column headers. */
export function similarityCsv(texts: readonly string[], similarities: SquareMatrix): string {
  const head = ["", ...texts.map(csvCell)].join(",");
  const rows = texts.map((text, row) =>
    [
      csvCell(text),
      ...texts.map((_, column) => String(Number(valueAt(similarities, row, column).toPrecision(6)))),
    ].join(","),
  );
  return `${[head, ...rows].join("\r\n")}\r\n`;
}
