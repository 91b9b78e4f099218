import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../lib/http/routes";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";
import { ROOT } from "../support/sources";

/** Health, status, metrics and the OpenAPI document. */

type Json = Record<string, unknown>;

let product: Product;
let cookie: string;
let key: string;
beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
});
afterAll(() => product?.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(product.url, { method: "GET", path, headers });

describe("status", () => {
  test("reports whether setup is done, and the version only to signed-in users", async () => {
    const before = await get("/api/status");
    expect(before.json).toEqual({
      success: true,
      message: "",
      data: {
        setup: false,
        self_use_mode: false,
        demo_site: false,
        self_registration: false,
        password_minimum: 8,
      },
    });
    cookie = await setUp(product.url);
    key = await createKey(product.url, cookie);
    expect((await get("/api/status")).json).toMatchObject({ data: { setup: true } });
    expect((await get("/api/status")).text).not.toContain("version");
    expect((await get("/api/status", { cookie })).json).toMatchObject({
      data: { setup: true, version: expect.any(String) },
    });
  });

  test("returns health without authentication", async () => {
    expect((await get("/api/health/live")).json).toMatchObject({ data: { status: "live" } });
    expect((await get("/api/health/ready")).json).toMatchObject({ data: { status: "ready" } });
  });
});

describe("/metrics", () => {
  const value = (text: string, line: RegExp) => Number(line.exec(text)?.[1] ?? Number.NaN);

  test("counts each call by operation, model, channel and status, and every usage row", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    for (const input of ["one", "two", "three"]) {
      const body = JSON.stringify({ model: "patchbay-embed", input });
      expect((await sendRaw(product.url, { path: "/v1/embeddings", headers, body })).status).toBe(200);
    }
    const { text, headers: received } = await get("/metrics");
    expect(received["content-type"]).toMatch(/^text\/plain; version=/);
    const labels = 'operation="embeddings",model="patchbay-embed",channel="Built-in embeddings"';
    expect(value(text, new RegExp(`^patchbay_calls_total\\{${labels},status="200"\\} (\\d+)$`, "m"))).toBe(3);
    expect(value(text, new RegExp(`^patchbay_call_seconds_count\\{${labels}\\} (\\d+)$`, "m"))).toBe(3);
    expect(value(text, /^patchbay_usage_rows_total (\d+)$/m)).toBe(3);
    // /metrics itself is not a gateway request.
    expect(value(text, /^patchbay_requests_in_flight (\d+)$/m)).toBe(0);
    expect(text).not.toContain(key);
  });

  test("creates no label for an unknown model", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "a-name-nobody-has", input: "x" });
    expect((await sendRaw(product.url, { path: "/v1/embeddings", headers, body })).status).toBe(404);
    expect((await get("/metrics")).text).not.toContain("a-name-nobody-has");
  });

  test("every line is a comment or a sample", async () => {
    const lines = (await get("/metrics")).text.trimEnd().split("\n");
    const sample =
      /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="[^"\n]*",?)*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|Na[Nn]|[+-]Inf)$/;
    expect(
      lines.filter((line) => !/^# (HELP|TYPE) /.test(line) && line !== "" && !sample.test(line)),
    ).toEqual([]);
  });
});

describe("/openapi.json", () => {
  let document: Json;
  beforeAll(async () => {
    document = (await get("/openapi.json")).json as Json;
  });
  const paths = () => document.paths as Record<string, Record<string, Json>>;
  const operations = () =>
    Object.entries(paths()).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );

  test("is OpenAPI 3.1 with a title and the API's version, without the product's version", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Patchbay", version: "1" });
    const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
    expect(JSON.stringify(document)).not.toContain(`"${version}"`);
    const known = [
      "openapi",
      "info",
      "jsonSchemaDialect",
      "servers",
      "paths",
      "webhooks",
      "components",
      "security",
      "tags",
      "externalDocs",
    ];
    expect(Object.keys(document).filter((name) => !known.includes(name))).toEqual([]);
  });

  test("describes every route of the route table and no other", () => {
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toEqual(ROUTES.map((route) => `${route.method} ${route.path}`).sort());
  });

  test("declares each parameter of a path once, and each query field in the query", () => {
    for (const { path, method, operation } of operations()) {
      const parameters = (operation.parameters ?? []) as {
        name: string;
        in: string;
        required: boolean;
        schema: Json;
      }[];
      const inPath = parameters.filter((one) => one.in === "path");
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((part) => part[1]);
      expect(
        inPath.map((one) => one.name),
        `${method} ${path}`,
      ).toEqual(named);
      expect(inPath.every((one) => one.required)).toBe(true);
      expect(
        parameters.every((one) => one.schema !== undefined && ["path", "query", "header"].includes(one.in)),
      ).toBe(true);
      expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length);
    }
  });

  test("gives every operation a summary, replies, and declared security schemes", () => {
    const schemes = Object.keys((document.components as { securitySchemes: Json }).securitySchemes);
    for (const { path, method, operation } of operations()) {
      const at = `${method} ${path}`;
      expect(operation.summary, at).toMatch(/\w{3}/);
      const replies = operation.responses as Record<string, Json>;
      expect(Object.keys(replies), at).toEqual(expect.arrayContaining(["200", "default"]));
      for (const reply of Object.values(replies)) expect(reply.description, at).toEqual(expect.any(String));
      const used = ((operation.security ?? []) as Json[]).flatMap((one) => Object.keys(one));
      expect(
        used.filter((name) => !schemes.includes(name)),
        at,
      ).toEqual([]);
    }
  });

  test("resolves every reference", () => {
    const references: string[] = [];
    JSON.stringify(document, (name, value) => {
      if (name === "$ref") references.push(value);
      return value;
    });
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const target = reference
        .replace(/^#\//, "")
        .split("/")
        .reduce<unknown>((at, name) => (at as Json | undefined)?.[name], document);
      expect(target, reference).toBeDefined();
    }
  });

  test("describes a body for every route that reads one, with the fields of the contract", () => {
    const bodyOf = (path: string) => {
      const { requestBody } = paths()[path]?.post ?? {};
      return (
        requestBody as {
          content: { "application/json": { schema: { properties: Json; required?: string[] } } };
        }
      ).content["application/json"].schema;
    };
    expect(Object.keys(bodyOf("/v1/engines/{model}/embeddings").properties)).toEqual(
      expect.arrayContaining(["model", "input", "encoding_format", "dimensions", "user"]),
    );
    expect(Object.keys(bodyOf("/v1beta/models/{model}:generateContent").properties)).toEqual(
      expect.arrayContaining(["contents", "generationConfig"]),
    );
    expect(Object.keys(bodyOf("/api/user/login/2fa").properties)).toEqual(
      expect.arrayContaining(["code", "flow_token"]),
    );
    expect(Object.keys(bodyOf("/api/setup").properties)).toEqual(
      expect.arrayContaining(["username", "password", "confirmPassword", "email", "setup_token"]),
    );
  });

  test("describes the reply of speech as audio", () => {
    const { responses } = paths()["/v1/audio/speech"]?.post ?? {};
    const { content } = (responses as Record<string, { content?: Json }>)["200"] ?? {};
    expect(Object.keys(content ?? {})).toEqual(
      expect.arrayContaining(["audio/mpeg", "audio/wav", "text/event-stream"]),
    );
  });
});
