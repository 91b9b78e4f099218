import type { UsageRow } from "../contracts/usage";

const COLUMNS = [
  "at",
  "id",
  "request_id",
  "key_id",
  "key_name",
  "user_id",
  "user_name",
  "model",
  "channel_id",
  "channel_name",
  "operation",
  "attempts",
  "input_tokens",
  "output_tokens",
  "characters",
  "audio_ms",
  "cost_usd",
  "status",
  "error",
  "cached",
  "estimated",
  "user",
  "tags",
  "latency_ms",
  "first_byte_ms",
] as const satisfies readonly (keyof UsageRow)[];

/** Spreadsheets run what begins like a formula; a quote in front keeps it text (OWASP, CSV injection). */
function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180 with a line of names on top, a chunk for each page of rows. */
export async function* usageCsv(pages: AsyncIterable<UsageRow[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${COLUMNS.join(",")}\r\n`);
  for await (const rows of pages) {
    const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(","));
    if (lines.length > 0) yield Buffer.from(`${lines.join("\r\n")}\r\n`);
  }
}
