import type { z } from "zod";
import { MODEL_NAME } from "../../../contracts/console/model-name";
import type { Route } from "../route";
import { exampleId, exampleModel } from "./examples";
import { isObject, type Json, requestSchema } from "./json-schema";
import { parameterExample } from "./request-examples";

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
    ...(description === undefined ? {} : { description }),
    schema: rest,
  };
}

/** An ID in a path. An unknown ID is 404, so the pattern excludes only characters that a path cannot carry. */
const ID = { type: "string", minLength: 1, maxLength: 256, pattern: "^[^/\\u0000-\\u001f\\u007f-\\u009f]+$" };

/** The parameters in braces of a route's path. */
export function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    if (name !== "model")
      return {
        ...parameter(name, "path", ID, true),
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
export function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties, required } = requestSchema(query);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const known = parameterExample(name);
    // The same name may have other values elsewhere.
    const choices = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : null;
    const example = choices === null || choices.includes(known) ? known : choices[0];
    return {
      ...parameter(name, "query", isObject(schema) ? schema : {}, isRequired),
      ...(example === undefined ? {} : { example }),
    };
  });
}

/** Visible characters, spaces only between them: what an HTTP header carries unchanged. */
const HEADER_TEXT = "^[!-~](?:[ -~]*[!-~])?$";

/** Without examples: an idempotency key sent with a different body is refused. */
export const GATEWAY_HEADERS: Json[] = [
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
      description: "Comma-separated labels, stored in the call's usage row.",
    },
    false,
  ),
];
