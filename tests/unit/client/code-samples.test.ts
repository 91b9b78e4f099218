import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { embeddingsSamples } from "@/lib/client/code-samples-embeddings";
import { speechSamples } from "@/lib/client/code-samples-speech";
import type { SpeechCall } from "@/lib/client/speech-call";

const hard = `It's "so" \\ \${x} $(date) \`id\`\n你好 👋`;
const origin = "http://localhost:3000";
const single: SpeechCall = {
  model: "patchbay-speech",
  text: hard,
  voices: { kind: "single", voice: "Kore" },
  language: null,
  speed: 1.5,
};
const script: SpeechCall = {
  ...single,
  speed: 1,
  voices: {
    kind: "script",
    speakers: [
      { name: "Ana", voice: "Kore" },
      { name: "Ben", voice: "Puck" },
    ],
  },
};

/** The arguments that a real shell passes to curl; curl and the other commands are shell functions. */
function argumentsOfCurl(code: string): string[] {
  const run = `curl() { printf '%s\\0' "$@"; }; jq() { cat; }; base64() { cat; }; ffplay() { :; }; cd "$(mktemp -d)"; ${code.replace("> speech.pcm", "")}`;
  return execFileSync("bash", ["-c", run], { env: { ...process.env, PATCHBAY_API_KEY: "from-env" } })
    .toString()
    .split("\0");
}

function compiles(code: string): void {
  execFileSync("node", ["--input-type=module", "--check"], { input: code });
}

test("passes the exact body through the shell to curl", () => {
  const sent = argumentsOfCurl(speechSamples(single, origin)[0]?.code ?? "");
  expect(sent).toContain("Authorization: Bearer from-env");
  expect(JSON.parse(sent[sent.indexOf("-d") + 1] ?? "")).toMatchObject({
    input: hard,
    speed: 1.5,
    voice: "Kore",
  });
  const scripted = argumentsOfCurl(speechSamples(script, origin)[0]?.code ?? "");
  expect(scripted[0]).toBe(`${origin}/v1beta/models/patchbay-speech:generateContent`);
  const embedded = argumentsOfCurl(
    embeddingsSamples({ model: "m", texts: [hard, "b"], dimensions: 8, format: "float" }, origin)[0]?.code ??
      "",
  );
  expect(JSON.parse(embedded[embedded.indexOf("-d") + 1] ?? "")).toEqual({
    model: "m",
    input: [hard, "b"],
    encoding_format: "float",
    dimensions: 8,
  });
});

test("generates JavaScript samples that parse", () => {
  const samples = [
    ...speechSamples(single, origin),
    ...speechSamples(script, origin),
    ...embeddingsSamples({ model: "m", texts: [hard], dimensions: null, format: "base64" }, origin),
  ].filter((sample) => sample.language === "javascript");
  expect(samples.length).toBeGreaterThanOrEqual(4);
  for (const sample of samples) compiles(sample.code);
});

test("leaves out the OpenAI SDK for multi-speaker scripts", () => {
  expect(speechSamples(script, origin).map((sample) => sample.id)).toEqual(["curl", "genai-js", "python"]);
  expect(speechSamples(script, origin).at(-1)?.code).toContain("from google import genai");
  expect(speechSamples({ ...single, speed: 1 }, origin).map((sample) => sample.id)).toEqual([
    "curl",
    "openai-js",
    "genai-js",
    "python",
  ]);
});

test("never puts an API key into a sample", () => {
  const samples = [
    ...speechSamples(single, origin),
    ...embeddingsSamples({ model: "m", texts: ["a"], dimensions: null, format: "float" }, origin),
  ];
  for (const sample of samples) {
    expect(sample.code).toContain("PATCHBAY_API_KEY");
    expect(sample.code).not.toMatch(/sk-pb-/);
  }
});
