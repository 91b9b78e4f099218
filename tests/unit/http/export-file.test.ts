import { expect, test } from "vitest";
import { exportFile } from "../../../lib/http/console/export-file";

type Row = Record<"at" | "tags" | "calls" | "cached", string | number | boolean | null>;
const COLUMNS = ["at", "tags", "calls", "cached"] as const;
const KEY = { kind: "manage-key" } as const;

async function textOf(format: "csv" | "jsonl", pages: readonly Row[][]): Promise<string> {
  async function* read() {
    yield* pages;
  }
  let text = "";
  for await (const chunk of exportFile("usage", format, COLUMNS, read(), KEY).body)
    text += Buffer.from(chunk).toString();
  return text;
}

/** The cell of `tags` in a line of the CSV export. */
async function cellOf(tags: string): Promise<string> {
  const text = await textOf("csv", [[{ at: 1, tags, calls: null, cached: true }]]);
  const [head = ""] = text.split("\r\n", 1);
  const line = text.slice(head.length + 2, -2);
  return line.slice(line.indexOf('"'), line.lastIndexOf('"') + 1);
}

test("exports JSON lines with unchanged values, one object per line", async () => {
  const rows = [
    { calls: 7, cached: false, tags: "=1\r\n\u2028", at: "2026" },
    { at: "2027", tags: null, calls: 0, cached: true },
  ];
  const text = await textOf("jsonl", [rows.slice(0, 1), [], rows.slice(1)]);
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  expect(Object.keys(JSON.parse(lines[0] ?? ""))).toEqual([...COLUMNS]);
  expect(await textOf("jsonl", [])).toBe("");
});

test("names the file after its format", async () => {
  async function* none() {}
  expect(exportFile("usage", "jsonl", COLUMNS, none(), KEY)).toMatchObject({
    name: "usage.jsonl",
    contentType: "application/x-ndjson; charset=utf-8",
  });
  expect(exportFile("usage", "csv", COLUMNS, none(), KEY)).toMatchObject({ name: "usage.csv" });
});

test.each([..."=+-@\t\r＝＋－＠"])("exports a cell that begins with %j as text", async (sign) => {
  expect(await cellOf(`${sign}1`)).toBe(`"'${sign}1"`);
  expect(await cellOf(`  ${sign}1`)).toBe(`"'  ${sign}1"`);
});

test.each([...";,|\t\r\n"])("exports the value after the separator %j as text", async (separator) => {
  expect((await cellOf(`a${separator}=1`)).slice(-5)).toBe(`${separator}'=1"`);
});

test("exports each part of a text that spreadsheets may split into cells as text", async () => {
  expect(await cellOf("=1;+2|-3")).toBe(`"'=1;'+2|'-3"`);
});

test("quotes every text in an export and leaves other text unchanged", async () => {
  expect(await cellOf("plain")).toBe('"plain"');
  expect(await cellOf('a "b"')).toBe('"a ""b"""');
  expect(await cellOf("a=b-c@d, e; f")).toBe('"a=b-c@d, e; f"');
});
