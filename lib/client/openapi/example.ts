import { CURL_HEADERS, KEY_VARIABLE, shellJson } from "../code-samples";
import { modelPath } from "../speech-call";
import { type OpenApiDocument, type Operation, resolve, type Schema } from "./document";

/** Models to show calls with, of those that the visitor may use. */
export interface ExampleModels {
  speech: string;
  embeddings: string;
}

const SENTENCE = "The kettle is on.";
const MOST_DEPTH = 6;

/** Bodies of the calls that programs make most, as one would write them. */
function writtenBody({ path, method }: Operation, models: ExampleModels): unknown {
  if (method !== "POST") return undefined;
  const contents = [{ parts: [{ text: SENTENCE }] }];
  if (path === "/v1/audio/speech")
    return { model: models.speech, voice: "alloy", input: SENTENCE, response_format: "mp3" };
  if (path === "/v1/embeddings" || path.endsWith("/embeddings"))
    return { model: models.embeddings, input: SENTENCE };
  if (/:(?:streamGenerateContent|generateContent)$/.test(path))
    return {
      contents,
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      },
    };
  if (path.endsWith(":embedContent")) return { content: contents[0] };
  if (path.endsWith(":batchEmbedContents"))
    return { requests: [{ model: `models/${models.embeddings}`, content: contents[0] }] };
  if (path.endsWith(":countTokens")) return { contents };
  return undefined;
}

/** A value that fits a schema: what it must have and no more. */
export function valueFor(document: OpenApiDocument, schema: Schema, depth = 0): unknown {
  const known = resolve(document, schema);
  if (known.const !== undefined) return known.const;
  if (known.default !== undefined) return known.default;
  if (known.enum !== undefined) return known.enum[0];
  const [first] = known.anyOf ?? known.oneOf ?? [];
  if (first !== undefined) return valueFor(document, first, depth);
  const type = Array.isArray(known.type) ? known.type[0] : known.type;
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(known.properties ?? {})
          .filter(([name]) => depth < MOST_DEPTH && known.required?.includes(name))
          .map(([name, field]) => [name, valueFor(document, field, depth + 1)]),
      );
    case "array":
      return (known.minItems ?? 0) > 0 && known.items ? [valueFor(document, known.items, depth + 1)] : [];
    case "integer":
    case "number":
      return Math.max(known.minimum ?? 0, 0);
    case "boolean":
      return true;
    case "string":
      return known.format === "date-time" ? "2030-01-01T00:00:00Z" : "…";
    default:
      return null;
  }
}

/** The body to begin with; null where there is none. */
export function exampleBody(document: OpenApiDocument, operation: Operation, models: ExampleModels): unknown {
  return (
    writtenBody(operation, models) ?? (operation.body === null ? null : valueFor(document, operation.body))
  );
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
export function asCurl(
  document: OpenApiDocument,
  operation: Operation,
  origin: string,
  models: ExampleModels,
): string {
  const path = pathWith(operation, exampleParameters(operation, models), streamQuery(operation));
  // Braces, a question mark or an ampersand mean something to a shell.
  const url = /[{}?&]/.test(path) ? `'${origin}${path}'` : `${origin}${path}`;
  const body = exampleBody(document, operation, models);
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
