import type { z } from "zod";
import { MODEL_NAME } from "../../../contracts/console/model-name";
import { isRecord } from "../../../contracts/is-record";
import { ONE_LINE_PATTERN } from "../../../contracts/text";
import { jsonLimitsOf } from "../read-json";
import type { ConsoleRoute, GatewayRoute, Route } from "../route";
import { exampleId, exampleModel, exampleOf } from "./examples";
import { definitions, withAliases } from "./gemini-aliases";
import { type Json, replySchema, requestSchema } from "./json-schema";
import { linksOf, operationIdOf } from "./links";
import { errorReply, successHeaders } from "./replies";
import { parameterExample, requestExample } from "./request-examples";

function parameter(
  name: string,
  location: "path" | "query" | "header",
  schema: Json,
  isRequired: boolean,
): Json {
  const { description, ...rest } = schema;
  return {
    name,
    in: location,
    required: isRequired,
    description,
    schema: rest,
  };
}

/** An ID in a path. An unknown ID is 404, so the pattern excludes only characters that a path cannot carry. */
const PATH_ID = {
  type: "string",
  minLength: 1,
  maxLength: 256,
  pattern: "^[^/\\u0000-\\u001f\\u007f-\\u009f]+$",
};

/** The parameters in braces of a route's path. */
function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    if (name !== "model")
      return {
        ...parameter(name, "path", PATH_ID, true),
        example: name === "target" ? "192.168.1.9:8000" : exampleId(path),
      };
    const description = "A model id; slashes need no escaping.";
    return {
      ...parameter(name, "path", { type: "string", pattern: MODEL_NAME.source, description }, true),
      example: exampleModel(path),
    };
  });
}

/** The query parameters of a schema; none without a schema. */
function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties, required } = requestSchema(query);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const known = parameterExample(name);
    // A parameter of the same name may have other choices in another operation.
    const choices = isRecord(schema) && Array.isArray(schema.enum) ? schema.enum : null;
    const example = choices === null || choices.includes(known) ? known : choices[0];
    return { ...parameter(name, "query", isRecord(schema) ? schema : {}, isRequired), example };
  });
}

/** Visible characters, spaces only between them: what an HTTP header carries unchanged. */
const HEADER_TEXT = "^[!-~](?:[ -~]*[!-~])?$";

/** Without examples: an idempotency key sent with a different body is refused. */
const GATEWAY_HEADERS: Json[] = [
  parameter(
    "Idempotency-Key",
    "header",
    {
      type: "string",
      minLength: 1,
      maxLength: 255,
      pattern: HEADER_TEXT,
      description:
        "A repeat with the same body gets the stored reply (status 200, up to 8 MiB) for 24 hours; another body is 400.",
    },
    false,
  ),
  parameter(
    "x-patchbay-tags",
    "header",
    {
      type: "string",
      maxLength: 256,
      pattern: ONE_LINE_PATTERN,
      description: "Comma-separated labels in UTF-8, stored in the call's usage row.",
    },
    false,
  ),
  parameter(
    "traceparent",
    "header",
    {
      type: "string",
      pattern: HEADER_TEXT,
      description:
        "W3C Trace Context: the gateway's spans continue this trace. Read only where they are exported over OTLP.",
    },
    false,
  ),
  parameter(
    "cache-control",
    "header",
    {
      type: "string",
      enum: ["no-store"],
      description: "The result is neither taken from the gateway's cache nor stored in it.",
    },
    false,
  ),
];

/** State that all operations of one document share. */
export interface DocumentContext {
  routes: readonly Route[];
  /** `components.schemas`, which grows as operations are described. */
  schemas: Json;
  year: number;
}

function jsonBody(route: Route, schema: Json): Json {
  const example = requestExample(route.method, route.path);
  return { required: true, content: { "application/json": { schema, example } } };
}

function content(schema: Json, { schemas }: DocumentContext, path: string): Json {
  return { schema, example: exampleOf(schema, schemas, "", exampleId(path)) };
}

export function contentOf(
  types: Readonly<Record<string, z.ZodType>>,
  context: DocumentContext,
  path: string,
): Json {
  return Object.fromEntries(
    Object.entries(types).map(([type, one]) => {
      const schema = replySchema(one);
      return [type, schema.format === "binary" ? { schema } : content(schema, context, path)];
    }),
  );
}

/** The `200` response of an operation, with links to the operations that take its ID. */
export function successReply(route: Route, context: DocumentContext, replies: Json): Json {
  const links = linksOf(route, context.routes);
  const isGateway = route.surface === "gemini" || route.surface === "openai";
  return {
    description: "Done.",
    headers: isGateway
      ? successHeaders(route.surface, route.method === "POST")
      : successHeaders("console", false),
    ...(Object.keys(replies).length > 0 ? { content: replies } : {}),
    ...(links === null ? {} : { links }),
  };
}

function consoleSecurity(route: ConsoleRoute): Json[] {
  switch (route.auth) {
    case "none":
      return [];
    case "session":
    case "adminSession":
    case "ownerSession":
      return [{ session: [] }];
    case "sessionOrManageKey":
    case "adminOrManageKey":
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

const AUDIO_EVENT = { type: "speech.audio.delta", audio: "AAABAAIAAwA=" };

function gatewayReplies(route: GatewayRoute, context: DocumentContext): Json {
  const json = route.reply ? content(replySchema(route.reply), context, route.path) : null;
  const event = Array.isArray(json?.example) ? json.example[0] : AUDIO_EVENT;
  const others = (route.replyTypes ?? []).map((type) => [
    type,
    type === "text/event-stream"
      ? { schema: { type: "string" }, example: `data: ${JSON.stringify(event)}\n\n` }
      : { schema: { type: "string", format: "binary" } },
  ]);
  return { ...(json === null ? {} : { "application/json": json }), ...Object.fromEntries(others) };
}

function gatewayBody(route: GatewayRoute, { schemas }: DocumentContext): Json {
  if (!route.body) return {};
  const { maxArrayItems } = jsonLimitsOf(route);
  const schema = requestSchema(route.body, { maxArrayItems });
  const hasAliases = route.surface === "gemini";
  return { requestBody: jsonBody(route, hasAliases ? withAliases(schema, definitions(schemas)) : schema) };
}

/** The OpenAPI operation of a `/v1` or `/v1beta` route. */
export function gatewayOperation(route: GatewayRoute, context: DocumentContext): Json {
  const security: Json[] = [{ bearer: [] }];
  if (route.takesGoogleKey) security.push({ googleHeader: [] }, { googleQuery: [] });
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
      200: successReply(route, context, gatewayReplies(route, context)),
      default: errorReply(route.surface, route.surface === "openai" && route.takesGoogleKey),
    },
  };
}
