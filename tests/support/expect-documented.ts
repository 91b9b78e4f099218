import { expect } from "vitest";
import type { Outbound } from "../../lib/http/core/exchange";
import { compileRoutes, matchRoute, surfaceOfRoute } from "../../lib/http/core/match";
import { isDecodable, normalizePath } from "../../lib/http/core/normalize-path";
import { describeRoutes } from "../../lib/http/core/openapi/describe-routes";
import { ROUTES } from "../../lib/http/routes";
import { type Schema, SchemaReader } from "./json-schema";

type Json = Record<string, unknown>;

interface Responses {
  "200": { content?: Record<string, { schema: Schema }>; headers: Json };
  default: { content: { "application/json": { schema: Schema } }; headers: Json };
}

/** The OpenAPI document as sent, with a reader of its schemas. */
interface OpenApi {
  document: Json;
  reader: SchemaReader;
  table: ReturnType<typeof compileRoutes>;
}

let known: OpenApi | null = null;

/** The OpenAPI document and its reader, created on first use. */
export function openApi(): OpenApi {
  if (known === null) {
    const document = JSON.parse(JSON.stringify(describeRoutes(ROUTES, 1_790_000_000_000))) as Json;
    known = { document, reader: new SchemaReader(document), table: compileRoutes(ROUTES) };
  }
  return known;
}

interface RepliedTo {
  method: string;
  /** Without its query. */
  path: string;
}

/** Reply headers that programs read. */
const READ_HEADERS =
  /^(?:x-patchbay-|x-ratelimit-|ratelimit-|retry-after|x-should-retry|x-request-id|cache-control)/;

/** Expects that status, headers, content type and JSON body match the OpenAPI document for this path and method. */
export function expectDocumented(
  { method, path }: RepliedTo,
  reply: { status: number; headers: Outbound["headers"]; text: string },
): void {
  const { document, reader, table } = openApi();
  // A path that does not decode never reaches the route table.
  if (!isDecodable(path)) return;
  const match = matchRoute(table, method, normalizePath(path));
  const type = String(reply.headers["content-type"] ?? "").split(";")[0] ?? "";
  const name = `${method} ${path}: ${reply.status} ${type} ${reply.text.slice(0, 300)}`;
  // The shape of the document: paths → methods → operations.
  const paths = document.paths as Record<string, Record<string, { responses: Responses }>>;
  const operation =
    match.kind === "found" ? paths[match.route.path]?.[match.route.method.toLowerCase()] : undefined;
  if (operation !== undefined) {
    const { headers } = operation.responses[reply.status === 200 ? "200" : "default"];
    const sent = Object.keys(reply.headers).filter((one) => READ_HEADERS.test(one));
    expect(Object.keys(headers), `${name}: the OpenAPI document names its headers`).toEqual(
      expect.arrayContaining(sent),
    );
  }
  let schema: Schema | undefined;
  if (reply.status !== 200) {
    const surface = match.kind === "found" ? surfaceOfRoute(match.route) : match.surface;
    // A path without a route below OpenAI's list of models gets Gemini's form of the error if the client is Google's.
    const surfaces = surface === "openai" && path.includes("/models") ? ["openai", "gemini"] : [surface];
    schema = operation?.responses.default.content["application/json"].schema ?? {
      anyOf: surfaces.map((one) => ({ $ref: `#/components/schemas/${one}Error` })),
    };
  } else {
    // Routes defined by a test are not in the document.
    if (match.kind !== "found") return;
    schema = operation?.responses["200"].content?.[type]?.schema;
    expect(schema, `${name}: the OpenAPI document has no such content type`).toBeDefined();
  }
  if (type === "application/json")
    expect(
      reader.errors(schema ?? {}, JSON.parse(reply.text)),
      `${name}: the reply does not match its schema in the OpenAPI document`,
    ).toEqual([]);
}
