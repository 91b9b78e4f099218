import { describe, expect, test } from "vitest";
import { z } from "zod";
import { RotateKey } from "../../../lib/contracts/console/api-keys";
import { CreateChannel, UpdateChannel } from "../../../lib/contracts/console/channels";
import { ENDPOINTS } from "../../../lib/contracts/console/endpoints";
import { type Issue, isAppError } from "../../../lib/errors";
import { parseInput } from "../../../lib/http/console/pipeline";
import { requestExample } from "../../../lib/http/core/openapi/request-examples";

interface Parts {
  body?: z.ZodType;
  query?: z.ZodType;
  data?: unknown;
  content?: unknown;
}
const PARTS: readonly [string, Parts][] = Object.entries(ENDPOINTS);
const WRONG: readonly unknown[] = [
  null,
  undefined,
  true,
  -1,
  0.5,
  1e300,
  Number.NaN,
  "",
  "\u0000",
  [],
  [[]],
  {},
  { x: 1 },
];
const WRONG_TEXTS = ["", "x", "-1", "1e300", "\u0000", "x".repeat(1_000)];
const LONG: readonly unknown[] = ["x".repeat(300_000), Array(3_000).fill("x"), Array(3_000).fill({})];

/** Copies of `value` with one part at a time replaced by something of another kind, size or form. */
function* faulty(value: unknown): Generator<unknown> {
  yield* WRONG;
  yield* LONG;
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    for (const wrong of faulty(part)) {
      if (Array.isArray(value)) yield value.map((item, index) => (String(index) === name ? wrong : item));
      else yield { ...value, [name]: wrong };
    }
  }
}

function issuesOf(schema: z.ZodType, input: unknown): readonly Issue[] {
  try {
    parseInput(schema, input);
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.details.issues ?? [];
  }
}

/** The words of zod's own messages. */
const RAW = /Invalid (input|string|option|key|element)|expected|received|Too (big|small)|Unrecognized/;

describe("validation messages of the console API", () => {
  test.each(PARTS)("are plain sentences: %s", (key, { body, query }) => {
    const [method = "", path = ""] = key.split(" ");
    const bodies = body === undefined ? [] : [...faulty(requestExample(method, path) ?? {})];
    const names = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
    const queries = names.flatMap((name) => WRONG_TEXTS.map((wrong) => ({ [name]: wrong })));
    const issues = [
      ...bodies.flatMap((input) => (body === undefined ? [] : issuesOf(body, input))),
      ...queries.flatMap((input) => (query === undefined ? [] : issuesOf(query, input))),
    ];
    const messages = [...new Set(issues.map((issue) => issue.message))];
    expect(messages.filter((message) => RAW.test(message))).toEqual([]);
    expect(messages.filter((message) => /^[a-z]|\.\.$/.test(message))).toEqual([]);
  });

  test.each<[string, z.ZodType, unknown, string]>([
    ["a missing field", CreateChannel, {}, "name: Is required. (and 1 more)"],
    ["a number out of range", RotateKey, { grace_hours: 25 }, "grace_hours: Must be at most 24."],
    ["another type", RotateKey, { grace_hours: "2" }, "grace_hours: Must be a number, not a string."],
    ["an unknown field", RotateKey, { hours: 2 }, "hours: Unknown field."],
    [
      "a value of none of several types",
      CreateChannel,
      { name: "a", provider: "openai", keys: [1] },
      "keys.0: Must be a string or an object, not 1.",
    ],
    [
      "an object of another form",
      CreateChannel,
      { name: "a", provider: "openai", keys: [{}] },
      "keys.0.key: Is required.",
    ],
    [
      "an object of none of several forms",
      UpdateChannel,
      { version: 1, keys: [{}] },
      "keys.0: Is not valid: 'key' is required.",
    ],
  ])("say what is accepted for %s", (_title, schema, input, message) => {
    expect(() => parseInput(schema, input)).toThrow(message);
  });
});
