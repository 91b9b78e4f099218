import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { highlight } from "@/components/playground/highlight";
import type { CodeSample } from "@/lib/client/code-samples";
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

function checkSyntax(code: string): void {
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

test("calls /v1/embeddings first and the engines path in the second tab, with the same body", () => {
  const call = { model: "hub/m", texts: ["a"], dimensions: null, format: "float" as const };
  const [plain, engines] = embeddingsSamples(call, origin);
  const [sent, onEngines] = [argumentsOfCurl(plain?.code ?? ""), argumentsOfCurl(engines?.code ?? "")];
  expect(sent[0]).toBe(`${origin}/v1/embeddings`);
  expect(onEngines[0]).toBe(`${origin}/v1/engines/hub/m/embeddings`);
  expect(onEngines.slice(1)).toEqual(sent.slice(1));
});

test("shortens a sample of 500 texts to valid code with a note", () => {
  const texts = Array.from({ length: 500 }, (_, at) => `Text ${at + 1}`);
  const samples = embeddingsSamples({ model: "m", texts, dimensions: null, format: "float" }, origin);
  expect(samples).toHaveLength(8);
  for (const { code, language } of samples) {
    expect(code).toContain("Shows the first 3 of 500 texts");
    expect(code).toContain("Text 3");
    expect(code).not.toContain("Text 4");
    if (language === "javascript") checkSyntax(code);
    if (language === "php") expect(code).toMatch(/^<\?php\n\/\/ Shows/);
  }
  const sent = argumentsOfCurl(samples[0]?.code ?? "");
  expect(JSON.parse(sent[sent.indexOf("-d") + 1] ?? "")).toMatchObject({
    input: ["Text 1", "Text 2", "Text 3"],
  });
  const few = embeddingsSamples(
    { model: "m", texts: texts.slice(0, 8), dimensions: null, format: "float" },
    origin,
  );
  for (const { code } of few) {
    expect(code).toContain("Text 8");
    expect(code).not.toContain("Shows the first");
  }
});

test("shortens a long text to valid code with a note, and calls the endpoint that accepts the whole text", () => {
  const text = `${"👋".repeat(2_000)}END`;
  const speech = speechSamples({ ...single, text: text.repeat(10), speed: 1 }, origin);
  const embeddings = embeddingsSamples(
    { model: "m", texts: [text, "b"], dimensions: null, format: "float" },
    origin,
  );
  for (const { code, language } of [...speech, ...embeddings]) {
    expect(code).toContain("Shows the first 1000 characters");
    expect(code.split("👋")).toHaveLength(1_001);
    expect(code).not.toMatch(/END|audio[/.]speech/);
    if (language === "javascript") checkSyntax(code);
  }
  const whole = speechSamples({ ...single, text: "a".repeat(1_000) }, origin);
  expect(whole.map(({ code }) => code).join()).not.toContain("Shows the first");
});

test("generates JavaScript samples that parse", () => {
  const samples = [
    ...speechSamples(single, origin),
    ...speechSamples(script, origin),
    ...embeddingsSamples({ model: "m", texts: [hard], dimensions: null, format: "base64" }, origin),
  ].filter((sample) => sample.language === "javascript");
  expect(samples.length).toBeGreaterThanOrEqual(4);
  for (const sample of samples) checkSyntax(sample.code);
});

test("leaves out the OpenAI SDK for multi-speaker scripts", () => {
  const scripted = speechSamples(script, origin);
  expect(scripted.map((sample) => sample.id)).toEqual(["curl", "genai-js", "python", "go", "java", "php"]);
  expect(scripted.find((sample) => sample.id === "python")?.code).toContain("from google import genai");
  expect(speechSamples({ ...single, speed: 1 }, origin).map((sample) => sample.id)).toEqual([
    "curl",
    "openai-js",
    "genai-js",
    "python",
    "go",
    "java",
    "php",
  ]);
});

test("calls Gemini's endpoint if no voice is selected, because OpenAI's endpoint requires a voice", () => {
  const call: SpeechCall = { ...single, speed: 1, voices: { kind: "single", voice: null } };
  const codes = speechSamples(call, origin).map(({ code }) => code);
  expect(codes.join("\n")).not.toMatch(/audio[/.]speech|alloy/);
});

test("calls Gemini's endpoint for a text that OpenAI's rejects as too long", () => {
  const codesOf = (length: number) => {
    const samples = speechSamples({ ...single, speed: 1, text: "a".repeat(length) }, origin);
    return samples.map(({ code }) => code).join("\n");
  };
  expect(codesOf(4_096)).toContain("/v1/audio/speech");
  expect(codesOf(4_097)).not.toMatch(/audio[/.]speech/);
});

const programs = [
  ...speechSamples({ ...single, speed: 1 }, origin),
  ...speechSamples(script, origin),
  ...embeddingsSamples({ model: "m", texts: [hard, "b"], dimensions: 8, format: "base64" }, origin),
];

function codesIn(language: CodeSample["language"]): string[] {
  return programs.filter((sample) => sample.language === language).map((sample) => sample.code);
}

/** The JSON between two marks of a program, with the escapes of its language undone. */
function bodyBetween(code: string, start: string, end: string, decode = (text: string) => text): unknown {
  return JSON.parse(decode(code.split(start)[1]?.split(end)[0] ?? ""));
}

test("puts the exact body into the Go, Java and PHP samples", () => {
  const backslashes = (text: string) => text.replaceAll("\\\\", "\\");
  const bodies = {
    go: codesIn("go").map((code) => bodyBetween(code, "const body = `", "`\n")),
    java: codesIn("java").map((code) => bodyBetween(code, 'var body = """', '""";', backslashes)),
    php: codesIn("php").map((code) => bodyBetween(code, "<<<'JSON'", "\nJSON;")),
  };
  expect(bodies.go[0]).toMatchObject({ input: hard, voice: "Kore", response_format: "mp3" });
  expect(bodies.go[1]).toMatchObject({ contents: [{ parts: [{ text: hard }] }] });
  expect(bodies.go[2]).toEqual({ model: "m", input: [hard, "b"], encoding_format: "float", dimensions: 8 });
  expect(bodies.java).toEqual(bodies.go);
  expect(bodies.php).toEqual(bodies.go);
});

const hasTool = (name: string) => spawnSync("which", [name]).status === 0;

test("prints at most as many numbers as a vector has in Go", () => {
  expect(codesIn("go").at(-1)).toContain("first[:min(8, len(first))]");
});

test.runIf(hasTool("gofmt"))("generates Go samples that are formatted", () => {
  for (const code of codesIn("go"))
    expect(execFileSync("gofmt", { input: `${code}\n` }).toString()).toBe(`${code}\n`);
});

test.runIf(hasTool("javac"))("generates Java samples that compile", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "samples-"));
  const files = codesIn("java").map((code, at) => {
    const file = path.join(folder, String(at), `${/class (\w+)/.exec(code)?.[1]}.java`);
    mkdirSync(path.dirname(file));
    writeFileSync(file, code);
    return file;
  });
  try {
    for (const file of files) execFileSync("javac", ["-encoding", "UTF-8", "-d", path.dirname(file), file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** PHP code without its strings and its heredoc. */
function phpWithoutTexts(code: string): string {
  return code
    .replace(/<<<'JSON'\n[\s\S]*?\nJSON/g, "''")
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");
}

test("generates PHP samples whose statements and brackets are closed", () => {
  for (const code of codesIn("php")) {
    expect(code).toMatch(/^<\?php\n/);
    const bare = phpWithoutTexts(code);
    for (const [open = "", close = ""] of ["()", "[]", "{}"])
      expect(bare.split(open).length, code).toBe(bare.split(close).length);
    expect(bare.trimEnd()).toMatch(/[;}]$/);
    // PHP's own check, if it is installed.
    if (hasTool("php")) execFileSync("php", ["-l"], { input: code });
  }
});

test("highlights the strings and comments of a sample and keeps every character", () => {
  for (const { code, language } of programs) {
    const pieces = highlight(code, language);
    expect(pieces.map((one) => one.text).join("")).toBe(code);
    expect(new Set(pieces.map((one) => one.className)).size).toBeGreaterThan(2);
  }
  const strings = (code: string, language: CodeSample["language"]) =>
    highlight(code, language).flatMap((one) => (one.className === "text-good" ? [one.text] : []));
  expect(strings("curl -d 'it'\\''s' # end", "bash")).toEqual(["'it'\\''s'"]);
  expect(strings("const a = `it's \"b\"` // it's", "go")).toEqual(['`it\'s "b"`']);
  expect(strings('var a = """\n  {"b": "it\'s"}""";', "java")).toEqual(['"""\n  {"b": "it\'s"}"""']);
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
