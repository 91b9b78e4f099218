import path from "node:path";
import Database from "libsql";
import { openWire, type Wire } from "./raw-request";

/** The longest text of a call; its speech takes far longer than any test. */
export const ENDLESS = "One more sentence for the road, and then another. ".repeat(640);

/** Requests speech on a new socket whose reader can pause and resume. */
export async function openSpeech(
  port: number,
  key: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Wire> {
  const text = JSON.stringify(body);
  const wire = await openWire(port);
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  wire.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more.join("")}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return wire;
}

/** A Gemini speech request. */
export function geminiSpeech(text: string): object {
  return { contents: [{ parts: [{ text }] }], generationConfig: { responseModalities: ["AUDIO"] } };
}

export const STREAM_PATH = "/v1beta/models/patchbay-speech:streamGenerateContent?alt=sse";

interface RecordedCall {
  request_id: string;
  state: string;
  status: number;
}

/** Every usage row of an instance's SQLite file. */
export function recordedCalls(dataDirectory: string): RecordedCall[] {
  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  try {
    // The columns named in the statement.
    return database
      .prepare("select request_id, state, status from usage order by at")
      .all() as RecordedCall[];
  } finally {
    database.close();
  }
}
