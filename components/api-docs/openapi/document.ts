/** The parts of an OpenAPI 3.1 document that the reference reads; what it does not know it leaves out. */
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

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
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
export type Surface = (typeof SURFACES)[number];

export interface Operation {
  /** What a link to it ends in: `post-v1-audio-speech`. */
  anchor: string;
  method: string;
  path: string;
  summary: string;
  surface: Surface;
  /** How one may show who one is: `bearer`, `session`, `googleHeader`, …; empty: anybody may call it. */
  security: string[];
  parameters: Parameter[];
  body: Schema | null;
  /** A body that fits; undefined where there is none. */
  example: unknown;
  reply: Schema | null;
  /** Content types of a good reply. */
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
  const good = raw.responses?.["200"]?.content ?? {};
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
    reply: good[JSON_TYPE]?.schema ?? null,
    replyTypes: Object.keys(good),
    error: raw.responses?.default?.content?.[JSON_TYPE]?.schema ?? null,
  };
}

/** Every operation of the document, in its order. */
export function readOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(method, path, raw)),
  );
}

/** Those whose path, method or summary holds every word of `q`. */
export function searchOperations(operations: readonly Operation[], q: string): Operation[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ method, path, summary }) => {
    const text = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Any JSON at all: it refers to itself, and there is nothing to tell of it. */
const ANYTHING = "JsonValue";

/** What a reference stands for; a schema that is none is itself. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  if (name === ANYTHING) return {};
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}
