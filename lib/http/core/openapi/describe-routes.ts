import type { PlainRoute, Route } from "../route";
import { JSON_KEY, JSON_VALUE, type Json } from "./json-schema";
import { operationIdOf } from "./links";
import {
  consoleOperation,
  contentOf,
  type DocumentContext,
  gatewayOperation,
  successReply,
} from "./operations";
import { ERROR_SCHEMAS, errorReply, REPLY_HEADERS } from "./replies";

function plainOperation(route: PlainRoute, context: DocumentContext): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: ["operations"],
    security: route.takesMetricsToken ? [{ metricsToken: [] }] : [],
    responses: {
      200: successReply(route, context, contentOf(route.content, context, route.path)),
      default: errorReply("console"),
    },
  };
}

function operationOf(route: Route, context: DocumentContext): Json {
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

/** The API's version, not the product's: the document is public, and only signed-in users see the product's version. */
const API_VERSION = "1";

/**
 * The OpenAPI 3.1 document of the route table, generated from the schemas that validate the requests. It states every
 * rule that JSON Schema can express. `now`: Unix time in milliseconds.
 */
export function describeRoutes(routes: readonly Route[], now: number): Json {
  const schemas: Json = {
    JsonKey: JSON_KEY,
    JsonValue: JSON_VALUE,
    geminiError: ERROR_SCHEMAS.gemini,
    openaiError: ERROR_SCHEMAS.openai,
    consoleError: ERROR_SCHEMAS.console,
  };
  const context: DocumentContext = { routes, schemas, year: new Date(now).getUTCFullYear() };
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
        session: {
          type: "apiKey",
          in: "cookie",
          name: "next-auth.session-token",
          description: "Over https the cookie's name is __Host-next-auth.session-token.",
        },
        metricsToken: {
          type: "http",
          scheme: "bearer",
          description: "The metrics token; without one, only the server's own machine may read the metrics.",
        },
      },
      headers: REPLY_HEADERS,
      schemas,
    },
  };
}
