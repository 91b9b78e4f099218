import { CONSOLE_CODE, GEMINI_STATUS, OPENAI } from "../render-error";
import type { Surface } from "../route";
import { type Json, refTo } from "./json-schema";

const text = { type: "string" };
const unique = (values: readonly (string | null)[]) => [...new Set(values)].sort();

/** The error bodies of the console's API, OpenAI's and Gemini's. */
export const ERROR_SCHEMAS: Record<Surface, Json> = {
  gemini: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: {
          code: { type: "integer", minimum: 400, maximum: 599 },
          message: text,
          status: { type: "string", enum: unique(Object.values(GEMINI_STATUS)) },
          details: { type: "array", items: { type: "object" } },
        },
      },
    },
    examples: [
      {
        error: {
          code: 400,
          message: "'contents' must have at least one content.",
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: "contents", description: "must have at least one content" }],
            },
          ],
        },
      },
    ],
  },
  openai: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type", "param", "code"],
        properties: {
          message: text,
          type: { type: "string", enum: unique(Object.values(OPENAI).map(([type]) => type)) },
          param: { type: ["string", "null"] },
          code: { type: ["string", "null"] },
        },
      },
    },
    examples: [
      {
        error: {
          message: "'input' must not be empty.",
          type: "invalid_request_error",
          param: "input",
          code: null,
        },
      },
    ],
  },
  console: {
    type: "object",
    required: ["success", "message", "code"],
    properties: {
      success: { const: false },
      message: text,
      code: { type: "string", enum: unique(Object.values(CONSOLE_CODE)) },
      issues: {
        type: "array",
        items: { type: "object", required: ["path", "message"], properties: { path: text, message: text } },
      },
      attempts_left: { type: "integer", minimum: 0 },
      retry_after: { type: "integer", minimum: 1 },
    },
    additionalProperties: false,
    examples: [
      {
        success: false,
        message: "name: Must not be empty.",
        code: "invalid",
        issues: [{ path: "name", message: "Must not be empty." }],
      },
    ],
  },
};

/** The `default` response of an operation: the error body of its surface. */
export const errorReply = (surface: Surface): Json => ({
  description: "What is wrong, in this surface's form.",
  content: { "application/json": { schema: refTo(`${surface}Error`) } },
});
