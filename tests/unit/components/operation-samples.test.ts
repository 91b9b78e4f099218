import { expect, test } from "vitest";
import { type OpenApiDocument, type Operation, readOperations } from "@/components/api-docs/openapi/document";
import { operationSamples } from "@/components/api-docs/openapi/samples";
import { describeRoutes } from "@/lib/http/core/openapi/describe-routes";
import { ROUTES } from "@/lib/http/routes";

const MODELS = { speech: "tts", embeddings: "embed" };
const ORIGIN = "https://patchbay.test";

const operation = (fields: Partial<Operation>): Operation => ({
  anchor: "a",
  method: "POST",
  path: "/v1/embeddings",
  summary: "",
  surface: "openai",
  security: ["bearer"],
  parameters: [],
  body: null,
  example: { model: "patchbay-embed-en", input: 'say "hi" \\ `now`' },
  rawBodyType: null,
  reply: null,
  replyTypes: ["application/json"],
  error: null,
  ...fields,
});
const codes = (fields: Partial<Operation>) =>
  new Map(operationSamples(operation(fields), ORIGIN, MODELS).map((one) => [one.title, one.code]));

test("shows a request with a body in every language, with the key from the environment", () => {
  const samples = codes({});
  expect([...samples.keys()]).toEqual(["curl", "JavaScript", "Python", "Go", "Java", "PHP"]);
  for (const code of samples.values()) {
    expect(code).toContain("https://patchbay.test/v1/embeddings");
    expect(code).toContain("PATCHBAY_API_KEY");
    expect(code).not.toContain("sk-pb");
  }
});

test("sends the same body from JavaScript and Python", () => {
  const samples = codes({});
  const body = { model: "embed", input: 'say "hi" \\ `now`' };
  const quoted = codes({ example: { input: "it's" } }).get("Python");
  expect(quoted).toContain("it's");
  const [, javascript = ""] = /JSON\.stringify\(([\s\S]*?)\),\n/.exec(samples.get("JavaScript") ?? "") ?? [];
  expect(JSON.parse(javascript)).toEqual(body);
  const [, python = ""] = /body = r"""([\s\S]*?)"""/.exec(samples.get("Python") ?? "") ?? [];
  expect(JSON.parse(python)).toEqual(body);
});

test("writes audio to a file, and sends no key to a public endpoint", () => {
  const audio = codes({ path: "/v1/audio/speech", replyTypes: ["audio/mpeg"] });
  for (const code of audio.values()) expect(code).toContain("speech.mp3");
  const open = codes({ method: "GET", path: "/api/status", security: [], example: undefined });
  expect([...open.keys()]).toEqual(["curl", "JavaScript", "Python"]);
  for (const code of open.values()) expect(code).not.toContain("PATCHBAY_API_KEY");
});

test("writes every reply that is not text to a file, in each language", () => {
  const document = JSON.parse(JSON.stringify(describeRoutes(ROUTES, Date.now()))) as OpenApiDocument;
  const isBinary = ({ method, path }: Operation) =>
    Object.values(document.paths[path]?.[method.toLowerCase()]?.responses?.["200"]?.content ?? {}).some(
      ({ schema }) => schema?.format === "binary",
    );
  const binary = readOperations(document).filter(isBinary);
  expect(binary.map(({ path }) => path)).toContain("/api/settings/backup");
  for (const one of binary)
    for (const { title, code } of operationSamples(one, ORIGIN, MODELS))
      expect(code, `${one.path} in ${title}`).toMatch(
        /--output |writeFile\(|open\(".*", "wb"\)|os\.Create\(|Files\.copy\(|file_put_contents\(/,
      );
});

test("sends the session of curl's cookie file to an endpoint that takes no key", () => {
  const path = "/api/users";
  const samples = codes({ method: "GET", path, security: ["session"], example: undefined });
  expect([...samples]).toEqual([
    [
      "curl",
      "# Sign in first, with curl --cookie-jar cookies.txt and POST /api/user/login.\n" +
        "curl https://patchbay.test/api/users \\\n  --cookie cookies.txt",
    ],
  ]);
});

test("sends the metrics token to /metrics", () => {
  const samples = codes({
    method: "GET",
    path: "/metrics",
    security: ["metricsToken"],
    example: undefined,
    replyTypes: ["text/plain"],
  });
  expect([...samples.keys()]).toEqual(["curl", "JavaScript", "Python"]);
  for (const code of samples.values()) expect(code).toContain("PATCHBAY_METRICS_TOKEN");
});

test("sends the query parameters that an endpoint requires, and a body that is not JSON as a file", () => {
  const samples = codes({
    path: "/api/recordings/encode",
    security: ["session"],
    parameters: [
      { name: "format", in: "query", required: true, example: "mp3" },
      { name: "q", in: "query", required: false, example: "website" },
    ],
    example: undefined,
    rawBodyType: "audio/pcm",
    replyTypes: ["audio/mpeg"],
  });
  expect(samples.get("curl")).toContain(
    [
      "curl 'https://patchbay.test/api/recordings/encode?format=mp3'",
      "  --cookie cookies.txt",
      '  -H "Content-Type: audio/pcm"',
      "  --data-binary @FILE",
      "  --fail-with-body --output speech.mp3",
    ].join(" \\\n"),
  );
});
