import { expect, test } from "vitest";
import type { UsageRow } from "../../../lib/contracts/console/usage";
import { usageCsv } from "../../../lib/http/console/usage-csv";

/** The cell of `tags`, the last text column, in a line of the export. */
async function cellOf(tags: string): Promise<string> {
  async function* pages() {
    // The export reads only the named fields.
    yield [{ tags, latency_ms: 7, first_byte_ms: null, model: null } as unknown as UsageRow];
  }
  let text = "";
  for await (const chunk of usageCsv(pages())) text += Buffer.from(chunk).toString();
  const [head = ""] = text.split("\r\n", 1);
  const line = text.slice(head.length + 2, -2);
  return line.slice(line.indexOf('"'), line.lastIndexOf('"') + 1);
}

test.each([..."=+-@\t\r＝＋－＠"])("exports a cell that begins with %j as text", async (sign) => {
  expect(await cellOf(`${sign}1`)).toBe(`"'${sign}1"`);
  expect(await cellOf(`  ${sign}1`)).toBe(`"'  ${sign}1"`);
});

test.each([...";,|\t\r\n"])("exports the value after the separator %j as text", async (separator) => {
  expect((await cellOf(`a${separator}=1`)).slice(-5)).toBe(`${separator}'=1"`);
});

test("exports each of several cells in one text as text", async () => {
  expect(await cellOf("=1;+2|-3")).toBe(`"'=1;'+2|'-3"`);
});

test("quotes every text in an export and leaves other text unchanged", async () => {
  expect(await cellOf("plain")).toBe('"plain"');
  expect(await cellOf('a "b"')).toBe('"a ""b"""');
  expect(await cellOf("a=b-c@d, e; f")).toBe('"a=b-c@d, e; f"');
});
