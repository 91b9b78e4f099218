import { CURL_HEADERS, KEY_VARIABLE, shellJson } from "../../../lib/client/code-samples";
import { modelPath } from "../../../lib/client/speech-call";
import type { Operation } from "./document";

/** The models that examples call. */
export interface ExampleModels {
  speech: string;
  embeddings: string;
}

/** Replaces the model names in the document's examples. */
function withModels(value: unknown, models: ExampleModels): unknown {
  if (typeof value === "string")
    return value
      .replace(/^(models\/)?patchbay-speech$/, `$1${models.speech}`)
      .replace(/^(models\/)?patchbay-embed-en$/, `$1${models.embeddings}`);
  if (Array.isArray(value)) return value.map((one) => withModels(one, models));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withModels(one, models)]));
}

/** The example request body; null if the operation has no body. */
export function exampleBody(operation: Operation, models: ExampleModels): unknown {
  return operation.example === undefined ? null : withModels(operation.example, models);
}

/** Initial values of the path parameters. */
export function exampleParameters(operation: Operation, models: ExampleModels): Record<string, string> {
  const isEmbeddings = /embed/i.test(operation.path);
  return Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === "path")
      .map(({ name }) => [name, name === "model" ? (isEmbeddings ? models.embeddings : models.speech) : ""]),
  );
}

/** The path with its parameters and query filled in; an empty path parameter stays `{name}`. */
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
  for (const { name, in: location } of operation.parameters) {
    const value = values[name] ?? "";
    if (location === "query" && value !== "") query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** `streamGenerateContent` sends server-sent events only with `alt=sse`; they are easier to read in a terminal. */
export function streamQuery(operation: Operation): Record<string, string> {
  return operation.path.endsWith(":streamGenerateContent") ? { alt: "sse" } : {};
}

/** The file an endpoint's audio is written to; null: its reply is text. */
export function outputFile({ replyTypes }: Operation): string | null {
  return replyTypes.some((type) => type.startsWith("audio/")) ? "speech.mp3" : null;
}

/** The request as a curl command. The API key is read from the environment. */
export function asCurl(operation: Operation, origin: string, models: ExampleModels): string {
  const path = pathWith(operation, exampleParameters(operation, models), streamQuery(operation));
  // Braces, question marks and ampersands must be quoted in a shell.
  const url = /[{}?&]/.test(path) ? `'${origin}${path}'` : `${origin}${path}`;
  const body = exampleBody(operation, models);
  const output = outputFile(operation);
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
