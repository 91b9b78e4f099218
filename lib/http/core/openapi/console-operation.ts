import type { ConsoleRoute } from "../route";
import { content, contentOf, type DocumentContext, jsonBody, successReply } from "./bodies";
import { errorReply } from "./error-schemas";
import { type Json, replySchema, requestSchema } from "./json-schema";
import { operationIdOf } from "./links";
import { pathParameters, queryParameters } from "./parameters";

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

function consoleBody(route: ConsoleRoute, { year }: DocumentContext): Json {
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

function consoleReplies(route: ConsoleRoute, context: DocumentContext): Json {
  if (route.content) return contentOf(route.content, context, route.path);
  const data = route.data ? replySchema(route.data) : { type: "null" };
  const schema = {
    type: "object",
    required: ["success", "message", "data"],
    properties: { success: { const: true }, message: { type: "string" }, data },
    additionalProperties: false,
  };
  return { "application/json": content(schema, context, route.path) };
}

/** The OpenAPI operation of a console route. */
export function consoleOperation(route: ConsoleRoute, context: DocumentContext): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: ["console"],
    security: consoleSecurity(route),
    parameters: [...pathParameters(route), ...queryParameters(route.query)],
    ...consoleBody(route, context),
    responses: {
      200: successReply(route, context, consoleReplies(route, context)),
      default: errorReply("console"),
    },
  };
}
