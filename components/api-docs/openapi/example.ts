import { KEY_VARIABLE, shellJson } from "../../../lib/client/code-samples";
import { modelPath } from "../../../lib/client/speech-call";
import { withQuery } from "../../../lib/contracts/with-query";
import { authOf, type Operation } from "./document";

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

/** Initial values of the parameters that a request needs. */
export function exampleParameters(operation: Operation, models: ExampleModels): Record<string, string> {
  const model = /embed/i.test(operation.path) ? models.embeddings : models.speech;
  return Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === "path" || (one.in === "query" && one.required))
      .map(({ name, in: location, example }) => {
        if (location === "query") return [name, String(example ?? "")];
        return [name, name === "model" ? model : ""];
      }),
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
  return withQuery(path, query);
}

/** `streamGenerateContent` sends server-sent events only with `alt=sse`; they are easier to read in a terminal. */
export function streamQuery(operation: Operation): Record<string, string> {
  return operation.path.endsWith(":streamGenerateContent") ? { alt: "sse" } : {};
}

/** File names of replies that are not text, by the beginning of their content type. */
const FILES: readonly (readonly [type: string, file: string])[] = [
  ["audio/", "speech.mp3"],
  ["application/vnd.sqlite3", "patchbay-backup.db"],
];

/** The file that the samples write a reply to; null: the reply is text and is printed. */
export function outputFile({ replyTypes }: Operation): string | null {
  const found = FILES.find(([type]) => replyTypes.some((one) => one.startsWith(type)));
  return found?.[1] ?? null;
}

/** The environment variable with the bearer token of an operation; null if it accepts none. */
export function tokenVariable({ security }: Operation): string | null {
  if (security.includes("bearer")) return KEY_VARIABLE;
  return security.includes("metricsToken") ? "PATCHBAY_METRICS_TOKEN" : null;
}

const COOKIES = "cookies.txt";

/** The request as a curl command. A token is read from the environment, a session from curl's cookie jar. */
export function asCurl(operation: Operation, origin: string, models: ExampleModels): string {
  const { method, rawBodyType } = operation;
  const path = pathWith(operation, exampleParameters(operation, models), streamQuery(operation));
  // Braces, question marks and ampersands must be quoted in a shell.
  const url = /[{}?&]/.test(path) ? `'${origin}${path}'` : `${origin}${path}`;
  const body = exampleBody(operation, models);
  const type = body === null ? rawBodyType : "application/json";
  const output = outputFile(operation);
  const variable = tokenVariable(operation);
  const isSession = authOf(operation) === "session";
  const implied = type === null ? "GET" : "POST";
  return [
    ...(isSession ? [`# Sign in first, with curl --cookie-jar ${COOKIES} and POST /api/user/login.\n`] : []),
    [
      `curl ${method === implied ? "" : `-X ${method} `}${url}`,
      ...(variable === null ? [] : [`  -H "Authorization: Bearer $${variable}"`]),
      ...(isSession ? [`  --cookie ${COOKIES}`] : []),
      ...(type === null ? [] : [`  -H "Content-Type: ${type}"`]),
      ...(body === null ? [] : [`  -d ${shellJson(body)}`]),
      ...(rawBodyType === null ? [] : ["  --data-binary @FILE"]),
      ...(output === null ? [] : [`  --fail-with-body --output ${output}`]),
    ].join(" \\\n"),
  ].join("");
}
