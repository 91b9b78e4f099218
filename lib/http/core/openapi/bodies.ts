import type { z } from "zod";
import type { Route } from "../route";
import { exampleId, exampleOf } from "./examples";
import { type Json, replySchema } from "./json-schema";
import { linksOf } from "./links";
import { requestExample } from "./request-examples";

/** State that all operations of one document share. */
export interface DocumentContext {
  routes: readonly Route[];
  /** `components.schemas`, which grows as operations are described. */
  schemas: Json;
  year: number;
}

/** A required JSON request body with its example. */
export function jsonBody(route: Route, schema: Json): Json {
  const example = requestExample(route.method, route.path);
  return {
    required: true,
    content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } },
  };
}

/** A reply's JSON content with its example. */
export function content(schema: Json, { schemas }: DocumentContext, path: string): Json {
  return { schema, example: exampleOf(schema, schemas, "", exampleId(path)) };
}

/** The content of a reply by content type. */
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
  return {
    description: "Done.",
    ...(Object.keys(replies).length > 0 ? { content: replies } : {}),
    ...(links === null ? {} : { links }),
  };
}
