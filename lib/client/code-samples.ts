import { KEY_VARIABLE } from "./key-variable";

interface SampleFacts {
  /** Product and language names, not translated. */
  title: string;
  language: "bash" | "javascript" | "python" | "go" | "java" | "php";
  /** The command that installs the dependencies of the code; null: none. */
  install: string | null;
}

const SAMPLES = {
  curl: { title: "curl", language: "bash", install: null },
  "curl-engines": { title: "curl · engines path", language: "bash", install: null },
  "openai-js": { title: "JavaScript · OpenAI", language: "javascript", install: "npm install openai" },
  "genai-js": {
    title: "JavaScript · Google GenAI",
    language: "javascript",
    install: "npm install @google/genai",
  },
  python: { title: "Python", language: "python", install: "pip install openai" },
  go: { title: "Go", language: "go", install: null },
  java: { title: "Java", language: "java", install: null },
  php: { title: "PHP", language: "php", install: null },
} as const satisfies Record<string, SampleFacts>;

/** A call as code. The key is never in it: the code reads it from the environment. */
export interface CodeSample extends SampleFacts {
  id: keyof typeof SAMPLES;
  code: string;
}

/** A sample of a kind; `facts` replace the usual ones of that kind. */
export function codeSample(id: CodeSample["id"], code: string, facts: Partial<SampleFacts> = {}): CodeSample {
  return { id, ...SAMPLES[id], ...facts, code };
}

export { KEY_VARIABLE };

/** The code with a comment on its first line, in PHP on the line after the opening tag. */
export function withComment(sample: CodeSample, comment: string): CodeSample {
  const { code, language } = sample;
  if (language === "php") return { ...sample, code: code.replace("<?php\n", `<?php\n// ${comment}\n`) };
  const mark = language === "bash" || language === "python" ? "#" : "//";
  return { ...sample, code: `${mark} ${comment}\n${code}` };
}

/**
 * Most code points of a text that a sample shows. All texts of a sample together form one string constant of Java,
 * which may have at most 65,535 bytes.
 */
export const MAX_CHARACTERS = 1_000;

/** The beginning of a long text; a shorter one unchanged. */
export function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : [...text].slice(0, MAX_CHARACTERS).join("");
}

/** A string literal that is valid in JavaScript and in Python. */
export function literal(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Quotes a text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Indented JSON as one word of a POSIX shell. */
export function shellJson(body: unknown): string {
  return shellQuote(JSON.stringify(body, null, 2));
}

export const CURL_HEADERS = [
  `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
  `  -H "Content-Type: application/json" \\`,
].join("\n");

export function openaiClient(origin: string): string {
  return [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  apiKey: process.env.${KEY_VARIABLE},`,
    `  baseURL: ${literal(`${origin}/v1`)},`,
    "});",
  ].join("\n");
}

export function genaiClient(origin: string): string {
  return [
    'import { GoogleGenAI } from "@google/genai";',
    "",
    "const ai = new GoogleGenAI({",
    `  apiKey: process.env.${KEY_VARIABLE},`,
    `  httpOptions: { baseUrl: ${literal(origin)} },`,
    "});",
  ].join("\n");
}

/** A JavaScript literal of a JSON value, keys without quotes. `indent` is the indentation of its first line. */
export function javascriptLiteral(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const inner = value.map((one) => `${indent}  ${javascriptLiteral(one, `${indent}  `)},`).join("\n");
    return value.every((one) => typeof one === "string" && one.length < 24) && value.length < 4
      ? `[${value.map((one) => javascriptLiteral(one)).join(", ")}]`
      : `[\n${inner}\n${indent}]`;
  }
  if (typeof value === "object" && value !== null) {
    const inner = Object.entries(value).map(
      ([key, one]) => `${indent}  ${key}: ${javascriptLiteral(one, `${indent}  `)},`,
    );
    return `{\n${inner.join("\n")}\n${indent}}`;
  }
  return typeof value === "string" ? literal(value) : String(value);
}
