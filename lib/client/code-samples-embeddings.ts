import {
  type CodeSample,
  CURL_HEADERS,
  codeSample,
  genaiClient,
  javascriptLiteral,
  KEY_VARIABLE,
  literal,
  MAX_CHARACTERS,
  openaiClient,
  shellJson,
  shortened,
  withComment,
} from "./code-samples";
import { goProgram, type JsonPost, javaProgram, phpProgram } from "./code-samples-http";
import { type EmbeddingsCall, embeddingsBody } from "./embeddings-call";
import { modelPath } from "./speech-call";

/** Largest number of texts that a sample shows in full. */
const MAX_TEXTS = 8;
/** Texts that a shortened sample shows. */
const SHORTENED_TEXTS = 3;

function curl(url: string, call: EmbeddingsCall): string {
  return [`curl ${url} \\`, CURL_HEADERS, `  -d ${shellJson(embeddingsBody(call))}`].join("\n");
}

function openaiJavascript(call: EmbeddingsCall, origin: string): string {
  return [
    openaiClient(origin),
    "",
    `const reply = await client.embeddings.create(${javascriptLiteral(embeddingsBody(call))});`,
    "console.log(reply.usage.total_tokens, reply.data[0].embedding);",
  ].join("\n");
}

function genaiJavascript(call: EmbeddingsCall, origin: string): string {
  const request = {
    model: call.model,
    contents: call.texts,
    ...(call.dimensions === null ? {} : { config: { outputDimensionality: call.dimensions } }),
  };
  return [
    genaiClient(origin),
    "",
    `const reply = await ai.models.embedContent(${javascriptLiteral(request)});`,
    "console.log(reply.embeddings[0].values);",
  ].join("\n");
}

function pythonValue(value: unknown): string {
  if (Array.isArray(value))
    return `[\n${value.map((one) => `        ${pythonValue(one)},`).join("\n")}\n    ]`;
  return typeof value === "string" ? literal(value) : String(value);
}

function python(call: EmbeddingsCall, origin: string): string {
  const fields = Object.entries(embeddingsBody(call)).map(
    ([name, value]) => `    ${name}=${pythonValue(value)},`,
  );
  return [
    "import os",
    "from openai import OpenAI",
    "",
    `client = OpenAI(api_key=os.environ["${KEY_VARIABLE}"], base_url=${literal(`${origin}/v1`)})`,
    "",
    "reply = client.embeddings.create(",
    ...fields,
    ")",
    "print(len(reply.data), reply.usage.total_tokens, reply.data[0].embedding[:8])",
  ].join("\n");
}

function go(call: EmbeddingsCall, origin: string): string {
  return goProgram(postOf(call, origin), {
    imports: ["encoding/json", "fmt"],
    lines: [
      "var embeddings struct {",
      "\tData []struct {",
      "\t\tEmbedding []float64",
      "\t}",
      "}",
      "if err := json.NewDecoder(reply.Body).Decode(&embeddings); err != nil {",
      "\tlog.Fatal(err)",
      "}",
      "first := embeddings.Data[0].Embedding",
      "fmt.Println(len(embeddings.Data), first[:min(8, len(first))])",
    ],
  });
}

function java(call: EmbeddingsCall, origin: string): string {
  return javaProgram("Embeddings", postOf(call, origin), {
    handler: "ofString",
    imports: [],
    lines: ["System.out.println(reply.body());"],
  });
}

function php(call: EmbeddingsCall, origin: string): string {
  return phpProgram(postOf(call, origin), [
    "$embeddings = json_decode($reply, flags: JSON_THROW_ON_ERROR);",
    "print_r(array_slice($embeddings->data[0]->embedding, 0, 8));",
  ]);
}

/** A call of OpenAI's endpoint that always requests floats, because the programs do not decode base64. */
function postOf(call: EmbeddingsCall, origin: string): JsonPost {
  return { url: `${origin}/v1/embeddings`, body: embeddingsBody({ ...call, format: "float" }) };
}

/**
 * The call for curl (on the path of OpenAI, then on the engines path), both JavaScript SDKs, Python, Go, Java
 * and PHP. Lists of more than `MAX_TEXTS` texts and long texts are shortened, with a comment that says so.
 */
export function embeddingsSamples(call: EmbeddingsCall, origin: string): CodeSample[] {
  const count = call.texts.length;
  const shown = count <= MAX_TEXTS ? call.texts : call.texts.slice(0, SHORTENED_TEXTS);
  const texts = shown.map(shortened);
  const comments = [
    ...(shown === call.texts
      ? []
      : [`Shows the first ${SHORTENED_TEXTS} of ${count} texts; the others follow in the same way.`]),
    ...(texts.every((text, at) => text === shown[at])
      ? []
      : [`Shows the first ${MAX_CHARACTERS} characters of a text; send all of it.`]),
  ];
  return samplesOf({ ...call, texts }, origin).map((sample) => comments.reduceRight(withComment, sample));
}

function samplesOf(call: EmbeddingsCall, origin: string): CodeSample[] {
  return [
    codeSample("curl", curl(`${origin}/v1/embeddings`, call)),
    codeSample("curl-engines", curl(`${origin}/v1/engines/${modelPath(call.model)}/embeddings`, call)),
    codeSample("openai-js", openaiJavascript(call, origin)),
    codeSample("genai-js", genaiJavascript(call, origin)),
    codeSample("python", python(call, origin)),
    codeSample("go", go(call, origin)),
    codeSample("java", java(call, origin)),
    codeSample("php", php(call, origin)),
  ];
}
