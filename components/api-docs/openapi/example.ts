import { CURL_HEADERS, KEY_VARIABLE, shellJson } from "../../../lib/client/code-samples";
import { modelPath } from "../../../lib/client/speech-call";
import type { Operation } from "./document";

/** Models to show calls with, of those that the visitor may use. */
export interface ExampleModels {
  speech: string;
  embeddings: string;
}

/** The names that the document's examples have, put as those that the visitor may use. */
function withModels(value: unknown, models: ExampleModels): unknown {
  if (typeof value === "string")
    return value
      .replace(/^(models\/)?patchbay-speech$/, `$1${models.speech}`)
      .replace(/^(models\/)?patchbay-embed$/, `$1${models.embeddings}`);
  if (Array.isArray(value)) return value.map((one) => withModels(one, models));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withModels(one, models)]));
}

/** The body to begin with; null where there is none. */
export function exampleBody(operation: Operation, models: ExampleModels): unknown {
  return operation.example === undefined ? null : withModels(operation.example, models);
}

/** Values of the path's parameters to begin with. */
export function exampleParameters(operation: Operation, models: ExampleModels): Record<string, string> {
  const isEmbeddings = /embed/i.test(operation.path);
  return Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === "path")
      .map(({ name }) => [name, name === "model" ? (isEmbeddings ? models.embeddings : models.speech) : ""]),
  );
}

/** The path with its parameters and query filled in; an empty one stays as `{name}`. */
export function pathWith(
  operation: Operation,
  values: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? "";
    if (value === "") return whole;
    return name === "model" ? modelPath(value) : encodeURIComponent(value);
  });
  const query = new URLSearchParams(extra);
  for (const { name, in: place } of operation.parameters) {
    const value = values[name] ?? "";
    if (place === "query" && value !== "") query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Streams as events only where it is asked for; as one reads it in a terminal that is the better form. */
export function streamQuery(operation: Operation): Record<string, string> {
  return operation.path.endsWith(":streamGenerateContent") ? { alt: "sse" } : {};
}

function outputOf({ replyTypes }: Operation): string | null {
  return replyTypes.some((type) => type.startsWith("audio/")) ? "speech.mp3" : null;
}

/** The call as one types it in a shell; the key is read from the environment. */
export function asCurl(operation: Operation, origin: string, models: ExampleModels): string {
  const path = pathWith(operation, exampleParameters(operation, models), streamQuery(operation));
  // Braces, a question mark or an ampersand mean something to a shell.
  const url = /[{}?&]/.test(path) ? `'${origin}${path}'` : `${origin}${path}`;
  const body = exampleBody(operation, models);
  const output = outputOf(operation);
  const needsKey = operation.security.includes("bearer");
  const lines = [
    `curl ${operation.method === "GET" || body !== null ? "" : `-X ${operation.method} `}${url}`,
  ];
  if (body !== null) {
    if (operation.method !== "POST") lines[0] = `curl -X ${operation.method} ${url}`;
    lines.push(needsKey ? CURL_HEADERS.replace(/ \\$/, "") : '  -H "Content-Type: application/json"');
    lines.push(`  -d ${shellJson(body)}`);
  } else if (needsKey) lines.push(`  -H "Authorization: Bearer $${KEY_VARIABLE}"`);
  if (output !== null) lines.push(`  --fail-with-body --output ${output}`);
  return lines.join(" \\\n");
}
