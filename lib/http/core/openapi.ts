import type { z } from "zod";
import { MODEL_NAME } from "../../contracts/console/model-name";
import { exampleId, exampleModel, exampleOf } from "./openapi/examples";
import { definitions, withTwins } from "./openapi/gemini-twins";
import {
  isObject,
  JSON_KEY,
  JSON_VALUE,
  type Json,
  refTo,
  replySchema,
  requestSchema,
} from "./openapi/json-schema";
import { linksOf, operationIdOf } from "./openapi/links";
import { parameterExample, requestExample } from "./openapi/request-examples";
import { CONSOLE_CODE, GEMINI_STATUS, OPENAI } from "./render-error";
import type { ConsoleRoute, GatewayRoute, PlainRoute, Route, Surface } from "./route";

const text = { type: "string" };
const unique = (values: readonly (string | null)[]) => [...new Set(values)].sort();

/** The error bodies of CONTRACT §1. */
const ERRORS: Record<Surface, Json> = {
  gemini: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: {
          code: { type: "integer", minimum: 400, maximum: 599 },
          message: text,
          status: { type: "string", enum: unique(Object.values(GEMINI_STATUS)) },
          details: { type: "array", items: { type: "object" } },
        },
      },
    },
    examples: [
      {
        error: {
          code: 400,
          message: "'contents' must hold at least one content.",
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: "contents", description: "must hold at least one content" }],
            },
          ],
        },
      },
    ],
  },
  openai: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type", "param", "code"],
        properties: {
          message: text,
          type: { type: "string", enum: unique(Object.values(OPENAI).map(([type]) => type)) },
          param: { type: ["string", "null"] },
          code: { type: ["string", "null"] },
        },
      },
    },
    examples: [
      {
        error: {
          message: "'input' must not be empty.",
          type: "invalid_request_error",
          param: "input",
          code: null,
        },
      },
    ],
  },
  console: {
    type: "object",
    required: ["success", "message", "code"],
    properties: {
      success: { const: false },
      message: text,
      code: { type: "string", enum: unique(Object.values(CONSOLE_CODE)) },
      issues: {
        type: "array",
        items: { type: "object", required: ["path", "message"], properties: { path: text, message: text } },
      },
      attempts_left: { type: "integer", minimum: 0 },
      retry_after: { type: "integer", minimum: 1 },
    },
    additionalProperties: false,
    examples: [
      {
        success: false,
        message: "name: Must not be empty.",
        code: "invalid",
        issues: [{ path: "name", message: "Must not be empty." }],
      },
    ],
  },
};

/** What the parts of one document share. */
interface Context {
  routes: readonly Route[];
  /** `components.schemas`, which grows as operations are described. */
  schemas: Json;
  year: number;
}

const errorReply = (surface: Surface): Json => ({
  description: "What is wrong, in this surface's form.",
  content: { "application/json": { schema: refTo(`${surface}Error`) } },
});

function parameter(
  name: string,
  place: "path" | "query" | "header",
  schema: Json,
  isRequired: boolean,
): Json {
  const { description, ...rest } = schema;
  return {
    name,
    in: place,
    required: isRequired,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  };
}

/** An id in a path: whatever is not one is 404, so the pattern only keeps out what cannot be sent. */
const ID = { type: "string", minLength: 1, maxLength: 256, pattern: "^[^/\\u0000-\\u001f\\u007f-\\u009f]+$" };

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    if (name !== "model")
      return {
        ...parameter(name, "path", ID, true),
        example: name === "target" ? "192.168.1.9:8000" : exampleId(path),
      };
    const description = "A model id; slashes may stand as they are.";
    return {
      ...parameter(name, "path", { type: "string", pattern: MODEL_NAME.source, description }, true),
      example: exampleModel(path),
    };
  });
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties, required } = requestSchema(query);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const example = parameterExample(name);
    return {
      ...parameter(name, "query", isObject(schema) ? schema : {}, isRequired),
      ...(example === undefined ? {} : { example }),
    };
  });
}

/** Visible characters with spaces within: what an HTTP header carries unchanged. */
const HEADER_TEXT = "^[!-~](?:[ -~]*[!-~])?$";

// Without examples: a key of one call sent with another is refused.
const GATEWAY_HEADERS: Json[] = [
  parameter(
    "Idempotency-Key",
    "header",
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      pattern: HEADER_TEXT,
      description: "The same body gets the stored reply for 24 hours; another body is 400.",
    },
    false,
  ),
  parameter(
    "x-patchbay-tags",
    "header",
    {
      type: "string",
      maxLength: 256,
      pattern: HEADER_TEXT,
      description: "Labels with commas between, kept in the call's usage row.",
    },
    false,
  ),
];

function jsonBody(route: Route, schema: Json): Json {
  const example = requestExample(route.method, route.path);
  return {
    required: true,
    content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } },
  };
}

function content(schema: Json, { schemas }: Context, path: string): Json {
  return { schema, example: exampleOf(schema, schemas, "", exampleId(path)) };
}

function contentOf(types: Readonly<Record<string, z.ZodType>>, context: Context, path: string): Json {
  return Object.fromEntries(
    Object.entries(types).map(([type, one]) => {
      const schema = replySchema(one);
      return [type, schema.format === "binary" ? { schema } : content(schema, context, path)];
    }),
  );
}

function good(route: Route, context: Context, replies: Json): Json {
  const links = linksOf(route, context.routes);
  return {
    description: "Done.",
    ...(Object.keys(replies).length > 0 ? { content: replies } : {}),
    ...(links === null ? {} : { links }),
  };
}

const AUDIO_EVENT = { type: "speech.audio.delta", audio: "AAABAAIAAwA=" };

function gatewayReplies(route: GatewayRoute, context: Context): Json {
  const json = route.reply ? content(replySchema(route.reply), context, route.path) : null;
  const event = Array.isArray(json?.example) ? json.example[0] : AUDIO_EVENT;
  const others = (route.replyTypes ?? []).map((type) => [
    type,
    type === "text/event-stream"
      ? { schema: text, example: `data: ${JSON.stringify(event)}\n\n` }
      : { schema: { type: "string", format: "binary" } },
  ]);
  return { ...(json === null ? {} : { "application/json": json }), ...Object.fromEntries(others) };
}

function gatewayBody(route: GatewayRoute, { schemas }: Context): Json {
  if (!route.body) return {};
  const maxArrayItems = route.maxArrayItems ?? (route.operation === "embeddings" ? 300_000 : undefined);
  const schema = requestSchema(route.body, { maxArrayItems });
  const isTwinned = route.surface === "gemini";
  return { requestBody: jsonBody(route, isTwinned ? withTwins(schema, definitions(schemas)) : schema) };
}

function gatewayOperation(route: GatewayRoute, context: Context): Json {
  const security: Json[] = [{ bearer: [] }];
  if (route.takesGoogleKey ?? route.surface === "gemini")
    security.push({ googleHeader: [] }, { googleQuery: [] });
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [route.surface],
    security,
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route.query),
      ...(route.method === "GET" ? [] : GATEWAY_HEADERS),
    ],
    ...gatewayBody(route, context),
    responses: {
      200: good(route, context, gatewayReplies(route, context)),
      default: errorReply(route.surface),
    },
  };
}

function consoleSecurity(route: ConsoleRoute): Json[] {
  switch (route.auth) {
    case "none":
      return [];
    case "session":
    case "adminSession":
      return [{ session: [] }];
    case "manage":
    case "admin":
      return [{ session: [] }, { bearer: [] }];
    default:
      return route.auth satisfies never;
  }
}

function consoleBody(route: ConsoleRoute, { year }: Context): Json {
  if (route.rawBody)
    return {
      requestBody: {
        required: true,
        content: { [route.rawBody]: { schema: { type: "string", format: "binary" } } },
      },
    };
  if (!route.body) return {};
  const schema = requestSchema(route.body, { year });
  return { requestBody: jsonBody(route, route.describeBody?.(schema) ?? schema) };
}

function consoleReplies(route: ConsoleRoute, context: Context): Json {
  if (route.content) return contentOf(route.content, context, route.path);
  const data = route.data ? replySchema(route.data) : { type: "null" };
  const schema = {
    type: "object",
    required: ["success", "message", "data"],
    properties: { success: { const: true }, message: text, data },
    additionalProperties: false,
  };
  return { "application/json": content(schema, context, route.path) };
}

function consoleOperation(route: ConsoleRoute, context: Context): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: ["console"],
    security: consoleSecurity(route),
    parameters: [...pathParameters(route), ...queryParameters(route.query)],
    ...consoleBody(route, context),
    responses: {
      200: good(route, context, consoleReplies(route, context)),
      default: errorReply("console"),
    },
  };
}

function plainOperation(route: PlainRoute, context: Context): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: ["operations"],
    responses: {
      200: good(route, context, contentOf(route.content, context, route.path)),
      default: errorReply("console"),
    },
  };
}

function operationOf(route: Route, context: Context): Json {
  switch (route.surface) {
    case "gemini":
    case "openai":
      return gatewayOperation(route, context);
    case "console":
      return consoleOperation(route, context);
    case "plain":
      return plainOperation(route, context);
    default:
      return route satisfies never;
  }
}

/** Of the API, not of the product: anyone may read the document, and the product's version is for the signed-in. */
const API_VERSION = "1";

/**
 * OpenAPI 3.1 of the whole table, made from the schemas that check the requests: what they refuse and JSON Schema can
 * say is in it. `now`: milliseconds since 1970.
 */
export function describeRoutes(routes: readonly Route[], now: number): Json {
  const schemas: Json = {
    JsonKey: JSON_KEY,
    JsonValue: JSON_VALUE,
    geminiError: ERRORS.gemini,
    openaiError: ERRORS.openai,
    consoleError: ERRORS.console,
  };
  const context: Context = { routes, schemas, year: new Date(now).getUTCFullYear() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationOf(route, context);
    paths[route.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Patchbay",
      version: API_VERSION,
      description: "Speech and embeddings in Gemini's and OpenAI's dialects, and the console's own API.",
    },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: sk-pb-…" },
        googleHeader: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        googleQuery: { type: "apiKey", in: "query", name: "key" },
        session: { type: "apiKey", in: "cookie", name: "next-auth.session-token" },
      },
      schemas,
    },
  };
}
