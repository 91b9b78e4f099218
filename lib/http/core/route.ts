import type { z } from "zod";
import type { ConsoleContext, ConsoleServices } from "../../console/context";
import {
  type BodyOf,
  type DataOf,
  type EndpointKey,
  type ParamsOf,
  type QueryOf,
  splitKey,
} from "../../contracts/console/endpoint";
import {
  ENDPOINTS,
  type EndpointSchemas,
  type Method,
  type ReplyContent,
} from "../../contracts/console/endpoints";
import type { Issue } from "../../errors";
import type { GatewayContext } from "../../gateway/context";
import type { Operation } from "../../ports/store";
import type { Inbound, Outbound } from "./exchange";
import type { Json } from "./openapi/json-schema";

export type Surface = "gemini" | "openai" | "console";
export type Parameters = Readonly<Record<string, string>>;

/** What a console handler receives, parsed by the endpoint's schemas. */
interface ConsoleInput<Body, Query, Params> {
  body: Body;
  query: Query;
  params: Params;
  request: Inbound;
  /** The body of an endpoint with `rawBody`, up to `maxBodyBytes`. */
  readBytes(): Promise<Uint8Array>;
  /** The same body, in chunks as they arrive. */
  streamBytes(): AsyncIterable<Uint8Array>;
}

/** How the server answers an endpoint of the console. */
interface ConsoleHandling<Body, Query, Params, Reply> {
  /**
   * `none`: anyone; `session`: the session of any user; `sessionOrManageKey`: such a session, or a management key (an
   * API key with the operation `manage`); `adminOrManageKey`: the session or a management key of an owner or admin;
   * `adminSession`: only the session of an owner or admin; `ownerSession`: only the owner's session. Management keys
   * reach API keys, channels, models and usage.
   */
  auth: "none" | "session" | "sessionOrManageKey" | "adminOrManageKey" | "adminSession" | "ownerSession";
  /** Allowed for users who must set up 2FA first (Settings, `two_factor_roles`): their account and sign-out. */
  allowedWithoutTwoFactor?: boolean;
  /** Largest body in bytes; absent: the console's limit. */
  maxBodyBytes?: number;
  /** Runs before the fields of the body are checked: its error takes precedence over theirs. */
  checkFirst?(services: ConsoleServices): Promise<void>;
  /** Errors of fields that `body` leaves to the handler, to be reported together with the errors that `body` finds. */
  moreIssues?(services: ConsoleServices, fields: Readonly<Record<string, unknown>>): readonly Issue[];
  summary: string;
  /** Adds the checks that `body` leaves to the handler to the published schema. */
  describeBody?(schema: Json): Json;
  handle(ctx: ConsoleContext, input: ConsoleInput<Body, Query, Params>): Reply;
}

/** `/api/**`: answers `{success, message, data}`, or a file or stream (`content`). */
export interface ConsoleRoute
  extends EndpointSchemas,
    ConsoleHandling<unknown, unknown, Parameters, ReplyOf<unknown>> {
  surface: "console";
  method: Method;
  path: string;
}

/** A handler without data returns nothing. */
type ReplyOf<Data> = Promise<ConsoleReply<Data>> | (null extends Data ? Promise<void> : never);

export interface ConsoleReply<Data = unknown> {
  data: Data;
  /** Default: 200. */
  status?: number;
  cookies?: string[];
  headers?: Record<string, string>;
  /** A file in place of the JSON envelope, streamed. */
  download?: { contentType: string; name: string; body: AsyncIterable<Uint8Array> };
  /** A stream in place of the JSON envelope, until the caller disconnects. */
  stream?: { contentType: string; body: AsyncIterable<Uint8Array> };
}

/** `/v1/**`, `/v1beta/**`: requires an API key, and answers in the format of its surface. */
export interface GatewayRoute {
  surface: "gemini" | "openai";
  method: Method;
  path: string;
  /**
   * Selects the limits of the body, which models a request may name when a stored reply is returned (null: any), the
   * names of spans, and the links of /openapi.json. It permits nothing: the handler checks the key with `resolveModel`.
   */
  operation: Exclude<Operation, "manage"> | null;
  summary: string;
  /** For /openapi.json. */
  body?: z.ZodType;
  reply?: z.ZodType;
  /** Query parameters that the handler reads, for /openapi.json. */
  query?: z.ZodType;
  /** Content types of a reply that is not JSON, or not always. */
  replyTypes?: readonly string[];
  /** `x-goog-api-key` and `?key=` are accepted in addition to Bearer. */
  takesGoogleKey?: boolean;
  /** `body` is the parsed JSON (strictly read: depth, keys, duplicates), undefined for GET. */
  handle(
    ctx: GatewayContext,
    input: { body: unknown; params: Parameters; request: Inbound },
  ): Promise<Outbound>;
}

/** Health, metrics, the OpenAPI document. */
export interface PlainRoute {
  surface: "plain";
  method: Method;
  path: string;
  summary: string;
  /** For /openapi.json. */
  content: ReplyContent;
  /** For /openapi.json: the handler itself checks the metrics token. */
  takesMetricsToken?: true;
  handle(services: ConsoleContext, request: Inbound): Promise<Outbound>;
}

/**
 * A route is a declaration in the route table (routes/index.ts), which both adapters serve.
 * `path` segments in braces are parameters: `{id}` takes one segment, `{model}` takes one or more (model ids hold
 * slashes), percent-decoded once and checked.
 */
export type Route = ConsoleRoute | GatewayRoute | PlainRoute;

/** The route of an endpoint of the console: method, path and schemas are those of its declaration. */
export function consoleRoute<Key extends EndpointKey>(
  key: Key,
  handling: ConsoleHandling<BodyOf<Key>, QueryOf<Key>, ParamsOf<Key>, ReplyOf<DataOf<Key>>>,
): ConsoleRoute {
  const schemas: EndpointSchemas = ENDPOINTS[key];
  return { surface: "console", ...splitKey(key), ...schemas, ...handling };
}

export function gatewayRoute(definition: GatewayRoute): GatewayRoute {
  return definition;
}
