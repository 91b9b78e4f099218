import type { GatewayRoute } from "../route";
import { content, type DocumentContext, jsonBody, successReply } from "./bodies";
import { errorReply } from "./error-schemas";
import { definitions, withTwins } from "./gemini-twins";
import { type Json, replySchema, requestSchema } from "./json-schema";
import { operationIdOf } from "./links";
import { GATEWAY_HEADERS, pathParameters, queryParameters } from "./parameters";

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
  const maxArrayItems = route.maxArrayItems ?? (route.operation === "embeddings" ? 300_000 : undefined);
  const schema = requestSchema(route.body, { maxArrayItems });
  const isTwinned = route.surface === "gemini";
  return { requestBody: jsonBody(route, isTwinned ? withTwins(schema, definitions(schemas)) : schema) };
}

/** The OpenAPI operation of a `/v1` or `/v1beta` route. */
export function gatewayOperation(route: GatewayRoute, context: DocumentContext): Json {
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
      200: successReply(route, context, gatewayReplies(route, context)),
      default: errorReply(route.surface),
    },
  };
}
