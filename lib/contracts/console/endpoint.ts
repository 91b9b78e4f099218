import type { z } from "zod";
import type { ENDPOINTS, Method, ReplyContent } from "./endpoints";

/** Types of an endpoint, derived from its declaration (endpoints.ts); without zod at run time, for the browser. */

/** Method and path, such as `GET /api/keys/{id}`. */
export type EndpointKey = keyof typeof ENDPOINTS;

type Declaration<Key extends EndpointKey> = (typeof ENDPOINTS)[Key];

/** Endpoints that reply with a file or a stream. */
export type FileKey = {
  [Key in EndpointKey]: Declaration<Key> extends { content: ReplyContent } ? Key : never;
}[EndpointKey];
/** Endpoints that reply with the JSON envelope. */
export type JsonKey = Exclude<EndpointKey, FileKey>;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
/** The parameters in the path, decoded. */
export type ParamsOf<Key extends EndpointKey> = { readonly [Name in ParamNames<Key>]: string };

/** The query as the handler receives it. */
export type QueryOf<Key extends EndpointKey> =
  Declaration<Key> extends { query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
/** The body as the handler receives it. */
export type BodyOf<Key extends EndpointKey> =
  Declaration<Key> extends { body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
export type DataOf<Key extends EndpointKey> =
  Declaration<Key> extends { data: infer Schema extends z.ZodType } ? z.output<Schema> : null;

type InputPart<Name extends string, Value> =
  Record<never, never> extends Value ? { readonly [Key in Name]?: Value } : { readonly [Key in Name]: Value };

/** Query parameters as code passes them to the client: numbers are accepted as numbers, and null omits a parameter. */
type SentQuery<Schema extends z.ZodType> = {
  readonly [Name in keyof z.input<Schema>]:
    | z.input<Schema>[Name]
    | z.output<Schema>[Name & keyof z.output<Schema>]
    | null;
};

/** What a client sends to an endpoint. Fields of the body that have a default may be left out. */
export type InputOf<Key extends EndpointKey> = InputPart<"params", ParamsOf<Key>> &
  (Declaration<Key> extends { query: infer Schema extends z.ZodType }
    ? InputPart<"query", SentQuery<Schema>>
    : unknown) &
  (Declaration<Key> extends { body: infer Schema extends z.ZodType }
    ? InputPart<"body", z.input<Schema>>
    : unknown);

export function splitKey(key: EndpointKey): { method: Method; path: string } {
  const space = key.indexOf(" ");
  // Every key begins with a method (endpoints.ts).
  return { method: key.slice(0, space) as Method, path: key.slice(space + 1) };
}
