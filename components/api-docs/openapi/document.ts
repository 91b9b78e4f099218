/** The parts of an OpenAPI 3.1 document that the reference shows; other fields are ignored. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  not?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Content {
  schema?: Schema;
  example?: unknown;
}

interface RawOperation {
  summary?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, Content> };
  responses?: Record<string, { description?: string; content?: Record<string, Content> }>;
}

export interface OpenApiDocument {
  info: { title: string; version: string };
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

export const SURFACES = ["openai", "gemini", "console", "operations"] as const;
type Surface = (typeof SURFACES)[number];

export interface Operation {
  /** The fragment of a link to it: `post-v1-audio-speech`. */
  anchor: string;
  method: string;
  path: string;
  summary: string;
  surface: Surface;
  /** Accepted authentication: `bearer`, `session`, `metricsToken`, …; empty if the endpoint is public. */
  security: string[];
  parameters: Parameter[];
  body: Schema | null;
  /** A valid request body; undefined if the operation has no JSON body. */
  example: unknown;
  /** The content type of a body that is not JSON; null if the operation has none. */
  rawBodyType: string | null;
  reply: Schema | null;
  /** Content types of a 200 response. */
  replyTypes: string[];
  error: Schema | null;
}

function isSurface(name: string | undefined): name is Surface {
  return SURFACES.some((one) => one === name);
}

/** `POST /v1/models/{model}:generateContent` → `post-v1-models-model-generatecontent`. */
export function anchorOf(method: string, path: string): string {
  const words = `${method} ${path}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-");
}

const JSON_TYPE = "application/json";

function readOperation(method: string, path: string, raw: RawOperation): Operation {
  const success = raw.responses?.["200"]?.content ?? {};
  const [bodyType = JSON_TYPE] = Object.keys(raw.requestBody?.content ?? {});
  const [tag] = raw.tags ?? [];
  return {
    anchor: anchorOf(method, path),
    method: method.toUpperCase(),
    path,
    summary: raw.summary ?? "",
    surface: isSurface(tag) ? tag : "operations",
    security: (raw.security ?? []).flatMap((one) => Object.keys(one)),
    parameters: raw.parameters ?? [],
    body: raw.requestBody?.content?.[JSON_TYPE]?.schema ?? null,
    example: raw.requestBody?.content?.[JSON_TYPE]?.example,
    rawBodyType: bodyType === JSON_TYPE ? null : bodyType,
    reply: success[JSON_TYPE]?.schema ?? null,
    replyTypes: Object.keys(success),
    error: raw.responses?.default?.content?.[JSON_TYPE]?.schema ?? null,
  };
}

/** How an operation authenticates; the message key of its badge. `both`: an API key or a session. */
export function authOf({ security }: Pick<Operation, "security">) {
  if (security.includes("metricsToken")) return "metricsToken";
  if (!security.includes("bearer")) return security.includes("session") ? "session" : "none";
  return security.includes("session") ? "both" : "bearer";
}

/** Every operation, in document order. */
export function readOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(method, path, raw)),
  );
}

/** The operations whose method, path or summary contains every word of `q`. */
export function searchOperations(operations: readonly Operation[], q: string): Operation[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ method, path, summary }) => {
    const text = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The schema of any JSON value. It refers to itself, so it is not expanded. */
const ANY_JSON = "JsonValue";

/** Follows a `$ref`; a schema without one is returned unchanged. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  if (name === ANY_JSON) return {};
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}
