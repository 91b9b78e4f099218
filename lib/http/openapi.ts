import { z } from "zod";
import type { ConsoleRoute, GatewayRoute, PlainRoute, Route, Surface } from "./route";

type Json = Record<string, unknown>;

const text = { type: "string" };
const nullableText = { type: ["string", "null"] };

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
          code: { type: "integer" },
          message: text,
          status: text,
          details: { type: "array", items: { type: "object" } },
        },
      },
    },
  },
  openai: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type", "param", "code"],
        properties: { message: text, type: text, param: nullableText, code: nullableText },
      },
    },
  },
  console: {
    type: "object",
    required: ["success", "message", "code"],
    properties: {
      success: { const: false },
      message: text,
      code: text,
      issues: {
        type: "array",
        items: { type: "object", required: ["path", "message"], properties: { path: text, message: text } },
      },
      attempts_left: { type: "integer" },
      retry_after: { type: "integer" },
    },
  },
};

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" });
  return rest;
}

function jsonContent(schema: Json): Json {
  return { "application/json": { schema } };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((part) => ({
    name: part[1],
    in: "path",
    required: true,
    schema: text,
    ...(part[1] === "model" ? { description: "A model id; slashes may stand as they are." } : {}),
  }));
}

function queryParameters(route: ConsoleRoute): Json[] {
  if (route.query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(route.query, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

const errorReply = (surface: Surface): Json => ({
  description: "What is wrong, in this surface's form.",
  content: jsonContent({ $ref: `#/components/schemas/${surface}Error` }),
});

function replyContent(route: GatewayRoute): { content?: Json } {
  const others = Object.fromEntries((route.replyTypes ?? []).map((type) => [type, {}]));
  if (route.reply) return { content: { ...jsonContent(jsonSchema(route.reply, "output")), ...others } };
  return route.replyTypes ? { content: others } : {};
}

function gatewayOperation(route: GatewayRoute): Json {
  const security: Json[] = [{ bearer: [] }];
  if (route.takesGoogleKey ?? route.surface === "gemini")
    security.push({ googleHeader: [] }, { googleQuery: [] });
  return {
    summary: route.summary,
    tags: [route.surface],
    security,
    parameters: pathParameters(route.path),
    ...(route.body
      ? { requestBody: { required: true, content: jsonContent(jsonSchema(route.body, "input")) } }
      : {}),
    responses: {
      200: {
        description: "Done.",
        ...replyContent(route),
      },
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

function consoleOperation(route: ConsoleRoute): Json {
  const data = route.data ? jsonSchema(route.data, "output") : {};
  return {
    summary: route.summary,
    tags: ["console"],
    security: consoleSecurity(route),
    parameters: [...pathParameters(route.path), ...queryParameters(route)],
    ...(route.rawBody
      ? { requestBody: { required: true, content: { [route.rawBody]: { schema: { type: "string" } } } } }
      : {}),
    ...(route.body
      ? { requestBody: { required: true, content: jsonContent(jsonSchema(route.body, "input")) } }
      : {}),
    responses: {
      200: {
        description: "Done.",
        content: jsonContent({
          type: "object",
          required: ["success", "message", "data"],
          properties: { success: { const: true }, message: text, data },
        }),
      },
      default: errorReply("console"),
    },
  };
}

function plainOperation(route: PlainRoute): Json {
  return {
    summary: route.summary,
    tags: ["operations"],
    responses: { 200: { description: "Done." }, default: errorReply("console") },
  };
}

function operationOf(route: Route): Json {
  switch (route.surface) {
    case "gemini":
    case "openai":
      return gatewayOperation(route);
    case "console":
      return consoleOperation(route);
    case "plain":
      return plainOperation(route);
    default:
      return route satisfies never;
  }
}

/** Of the API, not of the product: anyone may read the document, and the product's version is for the signed-in. */
const API_VERSION = "1";

/** OpenAPI 3.1 of the whole table, made from the schemas that check the requests. */
export function describeRoutes(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationOf(route);
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
      schemas: { geminiError: ERRORS.gemini, openaiError: ERRORS.openai, consoleError: ERRORS.console },
    },
  };
}
