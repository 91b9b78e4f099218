import { createHash } from "node:crypto";
import { pino } from "pino";
import type { Log } from "../../ports/telemetry";

/** Fields that may be logged; all others are dropped. */
export const LOGGED_FIELDS: ReadonlySet<string> = new Set([
  "alert",
  "attempts",
  "cause",
  "channel",
  "code",
  "count",
  "drainMs",
  "file",
  "instance",
  "keyId",
  "kind",
  "method",
  "model",
  "ms",
  "path",
  "pid",
  "reason",
  "requestId",
  "rows",
  "signal",
  "state",
  "status",
  "subject",
  "traceId",
  "usage",
]);

const MAX_LENGTH = 4_000;

function digest(text: string): string {
  return `[sha256:${createHash("sha256").update(text).digest("hex").slice(0, 8)}]`;
}

/** Patterns of secrets in any text: our keys, other services' keys, bearer tokens, `?key=`, sessions, URL passwords. */
const SECRETS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{8,}/g,
  /(?<=\bbearer\s+)[^\s"']+/gi,
  /(?<=[?&](?:key|token|code|api_key)=)[^&\s"']+/gi,
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}/g,
  /(?<=\/\/[^/\s:@]*:)[^@\s/]+(?=@)/g,
];

/** Replaces secrets with the first digits of their digest and escapes control characters. */
export function redact(text: string): string {
  let clean = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  for (const pattern of SECRETS) clean = clean.replace(pattern, digest);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
  return clean.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    if (character === "\n") return "\\n";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (value instanceof Error) return redact(value.stack ?? value.message);
  return undefined;
}

function allowed(fields: Record<string, unknown> | undefined): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields ?? {}))
    if (LOGGED_FIELDS.has(name)) written[name] = clean(value);
  return written;
}

/**
 * JSON lines on standard output; `level` as in PATCHBAY_LOG_LEVEL. A line that cannot be written is lost: with pino's
 * own writer, a failed write would end the process, and a full disk would block its exit until there is space.
 */
export function createLog(level: string): Log {
  process.stdout.on("error", () => undefined);
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const writer = pino(options, { write: (line) => process.stdout.write(line) });
  return {
    info: (event, fields) => writer.info(allowed(fields), event),
    warn: (event, fields) => writer.warn(allowed(fields), event),
    error: (event, fields) => writer.error(allowed(fields), event),
  };
}
