import { z } from "zod";
import type { ConsoleContext } from "../../console/context";
import type { GatewayContext } from "../../gateway/context";
import type { Operation } from "../../ports/store";
import type { Inbound, Outbound } from "./exchange";
import type { Json } from "./openapi/json-schema";

/**
 * A route is a declaration in the route table (routes/index.ts), which both adapters serve.
 * `path` segments in braces are parameters: `{id}` takes one segment, `{model}` takes one or more (model ids hold
 * slashes), percent-decoded once and checked. A pattern may end in `:{method}` on the Gemini surface.
 */
/** Schemas of a reply by content type; `BINARY` for replies that are not text. */
export type ReplyContent = Readonly<Record<string, z.ZodType>>;
export const BINARY = z.string().meta({ format: "binary" });

export type Surface = "gemini" | "openai" | "console";
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Parameters = Readonly<Record<string, string>>;

/** `/api/**`: answers `{success, message, data}`. */
export interface ConsoleRoute<Body extends z.ZodType | undefined = z.ZodType | undefined> {
  surface: "console";
  method: Method;
  path: string;
  /**
   * `none`: anyone; `session`: cookie; `manage`: cookie, or a key with the manage operation; `admin`: a session or
   * manage key of an owner or admin; `adminSession`: their session alone. Keys reach keys, channels, models and usage.
   */
  auth: "none" | "session" | "manage" | "admin" | "adminSession";
  /** Strict schema of the JSON body; absent: no body is read. */
  body?: Body;
  /** Strict schema of the query's parameters; absent: unknown parameters are ignored. */
  query?: z.ZodType;
  /** Answers before the initial setup too (otherwise 503 `not_initialized` for `/api/user/login*`; other routes are 401). */
  openBeforeSetup?: boolean;
  /** Allowed for users who must set up 2FA first (Settings, `two_factor_roles`): their account and sign-out. */
  allowedWithoutTwoFactor?: boolean;
  /** Largest body in bytes; absent: the console's limit. */
  maxBodyBytes?: number;
  /** The content type of a body that is not JSON: the handler reads it with `readBytes`, once it has memory for it. */
  rawBody?: string;
  summary: string;
  /** Schema of `data`, for /openapi.json; absent: null. */
  data?: z.ZodType;
  /** Replies without the JSON envelope, by content type, for /openapi.json. */
  content?: ReplyContent;
  /** Adds the checks that `body` leaves to the handler to the published schema. */
  describeBody?(schema: Json): Json;
  handle(
    ctx: ConsoleContext,
    input: {
      body: Body extends z.ZodType ? z.output<Body> : undefined;
      query: Record<string, unknown>;
      params: Parameters;
      request: Inbound;
      /** The body of a route with `rawBody`, up to `maxBodyBytes`; empty for others. */
      readBytes(): Promise<Uint8Array>;
    },
  ): Promise<ConsoleReply>;
}

export interface ConsoleReply {
  data: unknown;
  /** Default: 200. */
  status?: number;
  cookies?: string[];
  headers?: Record<string, string>;
  /** A file in place of the JSON envelope, streamed. */
  download?: { contentType: string; name: string; body: AsyncIterable<Uint8Array> };
  /** A stream in place of the JSON envelope, until the caller disconnects. */
  stream?: { contentType: string; body: AsyncIterable<Uint8Array> };
}

/** `/v1/**`, `/v1beta/**`: an API key, then the surface's own shapes. */
export interface GatewayRoute {
  surface: "gemini" | "openai";
  method: Method;
  path: string;
  /** The operation the key must allow; null: any valid key. */
  operation: Exclude<Operation, "manage"> | null;
  summary: string;
  /** For /openapi.json. */
  body?: z.ZodType;
  reply?: z.ZodType;
  /** Query parameters that the handler reads, for /openapi.json. */
  query?: z.ZodType;
  /** Content types of a reply that is not JSON, or not always. */
  replyTypes?: readonly string[];
  /** Largest body in bytes; absent: 4 MiB. */
  maxBodyBytes?: number;
  /** Most elements in one array of the body; absent: 10,000, for embeddings 300,000 (token ids). */
  maxArrayItems?: number;
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
  handle(services: ConsoleContext, request: Inbound): Promise<Outbound>;
}

export type Route = ConsoleRoute | GatewayRoute | PlainRoute;

/** Types the body of `handle` by its schema. */
export function consoleRoute<Body extends z.ZodType | undefined = undefined>(
  definition: Omit<ConsoleRoute<Body>, "surface">,
): ConsoleRoute {
  // The table holds routes of any body; the console pipeline parses with `body` before it calls `handle`.
  return { surface: "console", ...definition } as unknown as ConsoleRoute;
}

export function gatewayRoute(definition: GatewayRoute): GatewayRoute {
  return definition;
}
