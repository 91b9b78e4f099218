import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createDispatcher } from "../../lib/http/core/dispatch";
import { DATA_HEADERS } from "../../lib/http/core/security-headers";
import { ROUTES } from "../../lib/http/routes";
import { type ApiHarness, openApiHarness, type WholeReply } from "../support/api-harness";
import { inbound } from "../support/exchange";
import { openApi } from "../support/expect-documented";
import { broken, SchemaArbitrary } from "../support/json-schema";
import { testServices } from "../support/services";

/**
 * Compares the OpenAPI document with the server: requests that match it are not rejected as malformed, others are.
 * `PATCHBAY_TEST_RUNS` and `PATCHBAY_TEST_SEED` extend the search.
 */
type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Json;
  example?: unknown;
}
interface Media {
  schema: Json;
  example?: unknown;
}
interface Operation {
  method: string;
  path: string;
  operationId: string;
  security?: Json[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: {
    default: { description: string; headers: Json };
    "200": {
      headers: Json;
      content?: Record<string, Media>;
      links?: Record<
        string,
        { operationId: string; parameters?: Record<string, string>; requestBody?: Json }
      >;
    };
  };
}

test("the OpenAPI document is written and compressed only once, because it needs no sign-in", async () => {
  const services = await testServices();
  const dispatch = createDispatcher(ROUTES, async () => services);
  const bodyOf = async (encoding: string) => {
    const headers = [["accept-encoding", encoding]] as const;
    const { clock } = services;
    return (
      await dispatch(inbound("/openapi.json", { method: "GET", headers, body: Buffer.alloc(0), clock }))
    ).body;
  };
  for (const encoding of ["identity", "gzip"]) expect(await bodyOf(encoding)).toBe(await bodyOf(encoding));
  await services.close();
});

const RUNS = Number(process.env.PATCHBAY_TEST_RUNS ?? 12);
const SEED = Number(process.env.PATCHBAY_TEST_SEED ?? 20_261_122);

const { document, reader } = openApi();
const arbitrary = new SchemaArbitrary(reader);
const operations: Operation[] = Object.entries(
  document.paths as Record<string, Record<string, Json>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    ...(operation as unknown as Operation),
    method: method.toUpperCase(),
    path,
  })),
);
/** The type of a body of bytes, such as audio; undefined for a body of JSON and for none. */
const rawTypeOf = ({ requestBody }: Operation) =>
  Object.entries(requestBody?.content ?? {}).find(([, { schema }]) => schema.format === "binary")?.[0];
const titled = operations.map((one) => [`${one.method} ${one.path}`, one] as const);
const bodyOf = ({ requestBody }: Operation) => requestBody?.content["application/json"];
const withBody = titled.filter(([, one]) => bodyOf(one) !== undefined);

/** 400s that a schema cannot express: by operation, message and reason. */
const BEYOND_A_SCHEMA: readonly (readonly [operation: RegExp, message: RegExp, why: string])[] = [
  [/^GET \/api\/(keys|users|invites|audit|alerts|usage)/, /Must be next_cursor/, "cursors are opaque"],
  [/^GET /, /'from' must be before 'to'|A range by \w+ may have/, "two fields are compared"],
  [/setup|register|accept/, /two passwords differ/, "two fields are compared"],
  [/setup|register|accept|users|password/, /Must not be the username/, "two fields are compared"],
  [/setup|register|accept|users|password/, /most common ones/, "a list of 10,000 common passwords"],
  [/setup|register|accept|users|password/, /Must have at least 8 characters/, "counted after NFC"],
  [/^POST \/api\/user\/login\/2fa/, /different sign-ins/, "body and cookie are compared"],
  [
    /2fa|password/,
    /Enter the code|Enter your password|code from your authenticator/,
    "depends on the user's 2FA",
  ],
  [/^(POST|PATCH) \/api\/keys/, /must be in the future/i, "a time is compared with now"],
  [/settings/, /Enable 2FA for your own account first/, "depends on the user's 2FA"],
  [/channels|models/, /Must not repeat a public name/, "unique by one field"],
  [/channels/, /Set the operation of|is a model for|is an alias of/i, "depends on the existing models"],
  [/channels/, /is given twice/, "header names are compared without case"],
  [
    /channels/,
    /key with that ID|no stored keys|enter its keys again|provider/,
    "depends on the stored channel",
  ],
  [/channels\/order/, /Must name each channel once/, "unique by one field, over several lists"],
  [/channels/, /does not serve/, "depends on the stored channel"],
  [
    /channels|upstreams/,
    /private address|plain http|uses port|metadata address/,
    "depends on lists of addresses",
  ],
  [/^DELETE \/api\/channels/, /embedded engine cannot be deleted/, "depends on the stored channel"],
  [/webhook\/test/, /No webhook URL is saved|No signing secret exists/, "depends on the settings"],
  [/recordings/, /16-bit samples/, "a length in bytes"],
  [/voices/, /A part must have/, "two fields and the body's length are compared"],
  [/voices/, /is not a valid name/, "the name of a folder, in a path"],
  [/^POST \/v1/, /Idempotency-Key was used/, "depends on earlier calls"],
  [/^POST \/v1/, /two different API keys/, "header and query are compared"],
  [/^POST \/v1/, /is for (speech|embeddings);/, "depends on the model"],
  [/speech|enerateContent|^PATCH \/api\/models/, /is not a voice|no default voice/, "depends on the model"],
  [/enerateContent/, /names two voices/, "two fields are compared"],
  [
    /enerateContent/,
    /name of another speaker|not a configured speaker/,
    "unique by one field, compared without case",
  ],
  [/enerateContent/, /contains only an instruction/, "depends on the text itself"],
  [
    /speech|enerateContent/,
    /nothing that can be spoken|at least one letter or digit|embedded engines? cannot/,
    "depends on the text itself",
  ],
  [/embed/i, /cannot shorten vectors|[dD]imension\w*' must be at most \d+ for /, "depends on the model"],
  [/embed/i, /the path names|both must (be the same|name)/, "body and path are compared"],
  [/embed/i, /must be the same in all requests/, "two fields are compared"],
  [/embed/i, /maximum context length|tokens in all/, "depends on the model"],
  [/embed/i, /token ids/, "depends on the model"],
];

function isBeyondSchema(operation: Operation, { text }: WholeReply): boolean {
  const name = `${operation.method} ${operation.path}`;
  return BEYOND_A_SCHEMA.some(([operations, message]) => operations.test(name) && message.test(text));
}

const UNREACHABLE = "http://127.0.0.1:9/v1";

let shared: ApiHarness;
beforeAll(async () => {
  shared = await openApiHarness(UNREACHABLE);
});
afterAll(() => shared?.close());

let own: ApiHarness | null = null;
afterEach(async () => {
  await own?.close();
  own = null;
});

/** A separate instance for console writes, whose sign-outs and lock-outs must not affect other tests. */
async function instanceFor({ method, path }: Operation): Promise<ApiHarness> {
  if (method === "GET" || !path.startsWith("/api/")) return shared;
  own = await openApiHarness(UNREACHABLE);
  return own;
}

interface Values {
  parameters: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Fills in the path parameters with existing IDs where there are some, otherwise with generated values. */
function targetOf(
  { path, parameters = [] }: Operation,
  values: Values["parameters"],
  { ids }: ApiHarness,
): string {
  const collection = path.split("/{")[0] ?? "";
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const known =
      name === "model" ? (/embed/i.test(path) ? "patchbay-embed-en" : "patchbay-speech") : ids[collection];
    return known ?? encodeURIComponent(String(values[name] ?? "none"));
  });
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === "query" && values[one.name] !== undefined)
      .map((one) => [one.name, String(values[one.name])]),
  );
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** A draft is called at once, so it gets the base URL of the test's channel. */
function withTestBaseUrl({ path }: Operation, body: unknown): unknown {
  if (!path.includes("/draft/") || typeof body !== "object" || body === null || Array.isArray(body))
    return body;
  const { base_url: address = null } = body as Json;
  const isAddress = address === null || /^https?:/i.test(String(address));
  return isAddress ? { ...body, base_url: UNREACHABLE } : body;
}

async function send(operation: Operation, values: Values, opened: ApiHarness): Promise<WholeReply> {
  const { parameters = [], security = [] } = operation;
  const raw = rawTypeOf(operation);
  const asked = parameters.filter((one) => one.in === "header" && values.parameters[one.name] !== undefined);
  const headers: Record<string, string> = Object.fromEntries(
    asked.map((one) => [one.name.toLowerCase(), String(values.parameters[one.name])]),
  );
  if (raw !== undefined) headers["content-type"] = raw;
  // A session if allowed: sign-in is not tested here.
  if (security.some((one) => "session" in one)) headers.cookie = opened.ownerCookie;
  else if (security.length > 0) headers.authorization = `Bearer ${opened.key}`;
  return opened.call({
    method: operation.method,
    path: targetOf(operation, values.parameters, opened),
    headers,
    ...(values.body === undefined ? {} : { body: withTestBaseUrl(operation, values.body) }),
  });
}

function exampleOf(operation: Operation): Values {
  const given = (operation.parameters ?? []).filter((one) => one.example !== undefined);
  return {
    parameters: Object.fromEntries(given.map((one) => [one.name, one.example])),
    body: rawTypeOf(operation) === undefined ? bodyOf(operation)?.example : new Uint8Array(64),
  };
}

/** Generates requests that match the operation. */
function requestsFor(operation: Operation): fc.Arbitrary<Values> {
  const parameters = (operation.parameters ?? []).map(
    (one) =>
      [
        one.name,
        one.required
          ? arbitrary.of(one.schema)
          : fc.option(arbitrary.of(one.schema), { nil: undefined, freq: 1 }),
      ] as const,
  );
  const body = bodyOf(operation);
  return fc.record({
    parameters: fc.record(Object.fromEntries(parameters)),
    ...(body === undefined ? {} : { body: arbitrary.of(body.schema) }),
    ...(rawTypeOf(operation) === undefined
      ? {}
      : { body: fc.uint8Array({ minLength: 1, maxLength: 4_096 }) }),
  });
}

describe("the OpenAPI document", () => {
  test("names every operation once", () => {
    const names = operations.map((one) => one.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  test("allows tags that are not ASCII, as the server does", () => {
    const tags = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === "x-patchbay-tags"),
    );
    expect(tags.length).toBeGreaterThan(0);
    for (const { schema } of tags) {
      expect(reader.errors(schema, "équipe, 团队")).toEqual([]);
      expect(reader.errors(schema, "a\nb")).not.toEqual([]);
    }
  });

  test("describes what its schemas cannot express", () => {
    const fieldOf = (path: string, name: string) => {
      const schema = bodyOf(operations.find((one) => one.path === path) ?? expect.unreachable(path))?.schema;
      return JSON.stringify((schema?.properties as Json | undefined)?.[name]);
    };
    const model = "/v1beta/models/{model}";
    expect(fieldOf(`${model}:batchEmbedContents`, "requests")).toContain("same taskType and outputDim");
    expect(fieldOf(`${model}:countTokens`, "contents")).toContain("At most 1000000 characters");
    for (const [path, name] of [
      ["/v1/audio/speech", "input"],
      [`${model}:generateContent`, "contents"],
    ] as const)
      expect(fieldOf(path, name)).toContain("marks of Markdown");
    const { headers } = document.components as { headers: Record<string, Json> };
    expect(headers["retry-after"]?.description).toContain("504");
  });

  test("has only patterns without flags that JavaScript can parse", () => {
    JSON.stringify(document, (name, value) => {
      if (name === "pattern" && typeof value === "string") new RegExp(value, "u");
      return value;
    });
  });

  test.each(withBody)("has a required body with a valid example for %s", (_title, operation) => {
    const body = bodyOf(operation);
    expect(operation.requestBody?.required).toBe(true);
    expect(body?.example).toBeDefined();
    expect(reader.errors(body?.schema ?? {}, body?.example)).toEqual([]);
  });

  test.each(titled)("has valid examples of the parameters and replies of %s", (_title, operation) => {
    for (const one of operation.parameters ?? [])
      if (one.example !== undefined) expect(reader.errors(one.schema, one.example), one.name).toEqual([]);
    const needed = (operation.parameters ?? []).filter((one) => one.required && one.example === undefined);
    expect(needed.map((one) => one.name)).toEqual([]);
    const replies = Object.entries(operation.responses["200"].content ?? {});
    expect(replies.length).toBeGreaterThan(0);
    for (const [type, media] of replies) {
      if (media.schema.format === "binary") continue;
      expect(media.example, type).toBeDefined();
      expect(reader.errors(media.schema, media.example), type).toEqual([]);
    }
  });

  test("has valid examples of the three error bodies", () => {
    const { schemas } = document.components as { schemas: Record<string, { examples: unknown[] }> };
    for (const name of ["geminiError", "openaiError", "consoleError"]) {
      const schema = schemas[name];
      expect(schema?.examples.length).toBeGreaterThan(0);
      for (const example of schema?.examples ?? []) expect(reader.errors({ ...schema }, example)).toEqual([]);
    }
  });

  test("links list and create operations to every operation that takes the ID, with values from the example", () => {
    const linked = new Set<string>();
    for (const { path, responses } of operations) {
      const [media] = Object.values(responses["200"].content ?? {});
      for (const { operationId, parameters, requestBody } of Object.values(responses["200"].links ?? {})) {
        linked.add(operationId);
        const target = operations.find((one) => one.operationId === operationId);
        expect(target, operationId).toBeDefined();
        for (const name of Object.keys(parameters ?? {}))
          expect(target?.parameters?.map((one) => one.name)).toContain(name);
        for (const pointer of [...Object.values(parameters ?? {}), ...Object.values(requestBody ?? {})]) {
          const keys = String(pointer).replace("$response.body#/", "").split("/");
          const found = keys.reduce<unknown>((at, key) => (at as Json | undefined)?.[key], media?.example);
          expect(found, `${path} ${String(pointer)}`).toEqual(expect.any(String));
        }
      }
    }
    const taking = operations.filter(({ path }) => path.startsWith("/api/") && path.includes("{"));
    expect(taking.filter((one) => !linked.has(one.operationId)).map((one) => one.path)).toEqual([]);
  });
});

/** `/v1/models/{model}:…` is the same as under `/v1beta`: only its examples are checked. */
const isAlias = ({ path }: Operation) => /^\/v1\/models\/.*:/.test(path);

describe("a request that matches the document", () => {
  test.each(titled.filter(([, one]) => !isAlias(one)))(
    "gets no 400 from %s that a schema could express",
    async (_title, operation) => {
      const opened = await instanceFor(operation);
      const check = async (values: Values) => {
        const reply = await send(operation, values, opened);
        expect([415, 500], reply.text).not.toContain(reply.status);
        if (reply.status === 400 && !isBeyondSchema(operation, reply))
          throw new Error(
            `400 for a request that matches the document: ${reply.text}\n${JSON.stringify(values).slice(0, 2_000)}`,
          );
      };
      await check(exampleOf(operation));
      if ((operation.parameters ?? []).length === 0 && operation.requestBody === undefined) return;
      await fc.assert(fc.asyncProperty(requestsFor(operation), check), { numRuns: RUNS, seed: SEED });
    },
    120_000,
  );
});

const LISTS = operations.filter(({ parameters = [] }) => parameters.some(({ name }) => name === "limit"));
/** The sums of a summary are not pages of rows. */
const HIGHEST_LIMITS: Record<string, number> = { "GET /api/usage/summary": 1_000 };

test.each(LISTS.map((one) => [`${one.method} ${one.path}`, one] as const))(
  "a limit above 100 rows per page, or 1,000 sums, is refused by %s",
  async (title, operation) => {
    const most = HIGHEST_LIMITS[title] ?? 100;
    const ask = (limit: number) =>
      send(operation, { parameters: { ...exampleOf(operation).parameters, limit } }, shared);
    expect((await ask(most)).status).not.toBe(400);
    const refused = await ask(most + 1);
    expect([refused.status, refused.json.issues]).toEqual([
      400,
      [{ path: "limit", message: expect.any(String) }],
    ]);
  },
);

describe("a request that does not match the document", () => {
  test.each(withBody.filter(([, one]) => !isAlias(one)))("gets a 4xx from %s", async (_title, operation) => {
    const media = bodyOf(operation);
    const schema = media?.schema ?? {};
    const [sample] = fc.sample(requestsFor(operation), { numRuns: 1, seed: SEED });
    const values = [media?.example, sample?.body];
    for (const { what, value } of values.flatMap((one) => broken(reader, schema, one))) {
      const reply = await send(operation, { ...exampleOf(operation), body: value }, shared);
      expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeGreaterThanOrEqual(400);
      expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeLessThan(500);
    }
  });
});

test.each(titled.filter(([, one]) => one.path.startsWith("/v1")))(
  "the document names the headers of limits, and the statuses and codes of errors, of %s",
  (_title, { responses }) => {
    const ofLimits = ["limit", "remaining", "reset"].flatMap((part) => [
      `ratelimit-${part}`,
      `x-ratelimit-${part}-requests`,
      `x-ratelimit-${part}-tokens`,
    ]);
    expect(Object.keys(responses["200"].headers)).toEqual(expect.arrayContaining(ofLimits));
    expect(Object.keys(responses.default.headers)).toEqual(expect.arrayContaining(ofLimits));
    expect(responses.default.description).toMatch(/401 \((invalid_api_key|UNAUTHENTICATED)\), 403 \(/);
    expect(responses.default.description).toMatch(
      /503 \((not_initialized, no_channel_available|UNAVAILABLE)/,
    );
    expect(responses.default.description).toMatch(
      /400 \((INVALID_ARGUMENT|code: null, context_length_exceeded, max_tokens_per_request)\)/,
    );
    expect(responses.default.description).not.toMatch(/409|499/);
  },
);

test("the document names the request header that bypasses the cache", () => {
  const speech = operations.find(({ path }) => path === "/v1/audio/speech");
  const bypass = speech?.parameters?.find(({ name }) => name === "cache-control");
  expect(bypass).toMatchObject({ in: "header", required: false, schema: { enum: ["no-store"] } });
});

test("the document says that no reply may be cached", () => {
  for (const { responses } of operations)
    for (const { headers } of [responses["200"], responses.default])
      expect(headers["cache-control"]).toEqual({ $ref: "#/components/headers/cache-control" });
  const { headers } = document.components as { headers: Record<string, { description: string }> };
  expect(headers["cache-control"]?.description).toContain(DATA_HEADERS["cache-control"]);
});

test("the document distinguishes the limits of requests from those of tokens", () => {
  const { headers } = document.components as { headers: Record<string, { description: string }> };
  for (const unit of ["requests", "tokens"])
    for (const part of ["limit", "remaining"])
      expect(headers[`x-ratelimit-${part}-${unit}`]?.description).toContain(unit);
});

test.each(["/api/usage/summary", "/api/overview"])("the document says where a day begins in %s", (path) => {
  const operation = operations.find((one) => one.path === path);
  const interval = operation?.parameters?.find(({ name }) => name === "interval");
  expect(interval).toMatchObject({
    description: expect.stringContaining("whole hours in UTC"),
    schema: { enum: ["minute", "hour", "day"] },
  });
});
