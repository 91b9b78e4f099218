import { expect, test } from "vitest";
import type { Operation } from "@/components/api-docs/openapi/document";
import { operationSamples } from "@/components/api-docs/openapi/samples";

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
