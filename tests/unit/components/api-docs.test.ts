import { describe, expect, test } from "vitest";
import { GUIDES, readGuide, readGuides } from "../../../app/(console)/docs/read-guide";
import { guideSamples } from "../../../components/api-docs/guide-samples";
import { readMarkdown } from "../../../components/api-docs/markdown";
import {
  anchorOf,
  authOf,
  type OpenApiDocument,
  readOperations,
  searchOperations,
} from "../../../components/api-docs/openapi/document";
import {
  asCurl,
  exampleBody,
  exampleParameters,
  pathWith,
} from "../../../components/api-docs/openapi/example";
import { schemaRows, typeOf } from "../../../components/api-docs/openapi/schema-rows";
import { PAGES } from "../../../components/shell/pages";
import { describeRoutes } from "../../../lib/http/core/openapi/describe-routes";
import { ROUTES } from "../../../lib/http/routes";

// The generated document as JSON, as the browser receives it.
const document = JSON.parse(JSON.stringify(describeRoutes(ROUTES, Date.now()))) as OpenApiDocument;
const operations = readOperations(document);
const MODELS = { speech: "patchbay-speech", embeddings: "patchbay-embed-en" };
const find = (method: string, path: string) => {
  const found = operations.find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`The document has no ${method} ${path}.`);
  return found;
};

describe("API reference", () => {
  test("lists every route once, under a unique anchor", () => {
    expect(operations.map((one) => `${one.method} ${one.path}`).sort()).toEqual(
      ROUTES.map((route) => `${route.method} ${route.path}`).sort(),
    );
    expect(new Set(operations.map((one) => one.anchor)).size).toBe(operations.length);
    expect(anchorOf("POST", "/v1/models/{model}:generateContent")).toBe(
      "post-v1-models-model-generatecontent",
    );
  });

  test("calls no endpoint public that asks for a token", () => {
    expect(authOf(find("GET", "/metrics"))).toBe("metricsToken");
    expect(authOf(find("GET", "/api/keys"))).toBe("both");
    expect(authOf(find("GET", "/api/users"))).toBe("session");
    expect(authOf(find("GET", "/api/status"))).toBe("none");
  });

  test("searches by method, path and summary", () => {
    const found = searchOperations(operations, "post speech audio");
    expect(found.map((one) => one.path)).toContain("/v1/audio/speech");
    expect(found.every((one) => one.method === "POST")).toBe(true);
    expect(searchOperations(operations, "no such thing")).toEqual([]);
  });

  test("lists every field of a body, including fields of nested lists and objects", () => {
    const { body } = find("POST", "/v1/audio/speech");
    const rows = schemaRows(document, body ?? {});
    const input = rows.find((row) => row.path === "input");
    expect(input).toMatchObject({ isRequired: true, type: "string" });
    const rowsOf = (path: string) => schemaRows(document, find("POST", path).body ?? {});
    const isModelRequired = (path: string) => rowsOf(path).find((row) => row.path === "model")?.isRequired;
    expect(isModelRequired("/v1/embeddings")).toBe(true);
    expect(isModelRequired("/v1/engines/{model}/embeddings")).toBe(true);
    const reply = schemaRows(document, find("POST", "/v1/embeddings").reply ?? {});
    expect(reply.map((row) => row.path)).toEqual(
      expect.arrayContaining(["data", "data[].embedding", "usage.prompt_tokens"]),
    );
  });

  test.each([
    ["/v1/audio/speech", "response_format", '"mp3"'],
    ["/v1/audio/speech", "speed", "1"],
    ["/v1/audio/speech", "stream_format", '"audio"'],
    ["/v1/embeddings", "encoding_format", '"float"'],
    ["/v1/engines/{model}/embeddings", "encoding_format", '"float"'],
    [
      "/v1beta/models/{model}:generateContent",
      "generationConfig.responseFormat.audio.mimeType",
      '"AUDIO_L16"',
    ],
    ["/v1beta/models/{model}:generateContent", "generationConfig.responseFormat.audio.sampleRate", "24000"],
    ["/v1beta/models/{model}:generateContent", "generationConfig.candidateCount", "1"],
  ])("states the default of a field that %s may leave out: %s", (path, field, value) => {
    const row = schemaRows(document, find("POST", path).body ?? {}).find((one) => one.path === field);
    expect(row?.rules).toContain(`default ${value}`);
  });

  test("describes nullable, list and enum types", () => {
    const type = (schema: object) => typeOf(document, schema);
    expect(type({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("string | null");
    expect(type({ type: "array", items: { type: "integer" } })).toBe("[integer]");
    expect(type({ enum: ["mp3", "wav"] })).toBe('"mp3" | "wav"');
  });
});

describe("API reference examples", () => {
  test("show a complete curl command with method, URL, key and body", () => {
    expect(asCurl(find("POST", "/v1/embeddings"), "http://x", MODELS)).toBe(
      [
        "curl http://x/v1/embeddings \\",
        '  -H "Authorization: Bearer $PATCHBAY_API_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        "  -d '{",
        '  "model": "patchbay-embed-en",',
        '  "input": "The kettle is on."',
        "}'",
      ].join("\n"),
    );
    expect(asCurl(find("GET", "/v1/models"), "http://x", MODELS)).toBe(
      'curl http://x/v1/models \\\n  -H "Authorization: Bearer $PATCHBAY_API_KEY"',
    );
    expect(asCurl(find("DELETE", "/api/keys/{id}"), "http://x", MODELS)).toContain(
      "curl -X DELETE 'http://x/api/keys/{id}'",
    );
  });

  test("pass the validation of their own endpoint", () => {
    const invalid = ROUTES.filter((route) => "body" in route && route.body !== undefined).flatMap((route) => {
      const operation = find(route.method, route.path);
      if (operation.surface === "console" || !("body" in route)) return [];
      const result = route.body?.safeParse(exampleBody(operation, MODELS));
      return result?.success === false ? [`${route.path}: ${result.error.message}`] : [];
    });
    expect(invalid).toEqual([]);
  });

  test("fill path and query parameters into the URL", () => {
    const models = find("GET", "/v1beta/models/{model}");
    expect(pathWith(models, { model: "a/b c" })).toBe("/v1beta/models/a/b%20c");
    expect(exampleParameters(find("POST", "/v1/engines/{model}/embeddings"), MODELS)).toEqual({
      model: "patchbay-embed-en",
    });
    expect(pathWith(find("GET", "/api/audit"), { q: "a&b", limit: "" })).toBe("/api/audit?q=a%26b");
    expect(asCurl(find("GET", "/api/overview"), "http://x", MODELS)).toMatch(/\?from=.+&to=.+&interval=hour/);
  });
});

describe("guides", () => {
  test("parse into blocks, with code unchanged", () => {
    const tokens = readMarkdown("## One\n\ntwo\nthree\n\n- a\n- b\n\n```bash\n- c\n```\n\n{{sample:x}}", {
      x: "y",
    });
    expect(tokens).toMatchObject([
      { type: "heading", text: "One" },
      { type: "paragraph", text: "two\nthree" },
      { type: "list", ordered: false, items: [{ text: "a" }, { text: "b" }] },
      { type: "code", lang: "bash", text: "- c" },
      { type: "code", text: "y" },
    ]);
  });

  const samples = guideSamples("http://x", MODELS);
  test.each(GUIDES)("'%s' has the same blocks in both languages and every sample it names", async (name) => {
    const [english, chinese] = await Promise.all(
      (["en", "zh"] as const).map(async (locale) =>
        readMarkdown((await readGuide(locale, name)).text, samples),
      ),
    );
    expect(chinese?.map((token) => token.type)).toEqual(english?.map((token) => token.type));
    for (const token of [...(english ?? []), ...(chinese ?? [])])
      if (token.type === "code") expect(token.text).not.toBe("");
  });

  test("link only to pages and guides that exist", async () => {
    const guides = [...(await readGuides("en")), ...(await readGuides("zh"))];
    const links = guides.flatMap(({ text }) => [...text.matchAll(/\]\((\/[^)]*)\)/g)].map((one) => one[1]));
    const known = [...PAGES.map((page) => page.path), ...GUIDES.map((name) => `/docs/guides/${name}`)];
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !known.includes(link ?? ""))).toEqual([]);
  });
});
