import {
  type CodeSample,
  CURL_HEADERS,
  genaiClient,
  javascriptLiteral,
  KEY_VARIABLE,
  literal,
  openaiClient,
  shellJson,
} from "./code-samples";
import { geminiBody, modelPath, openaiBody, type SpeechCall } from "./speech-call";

/** The part of a call that the OpenAI endpoint does not support; null: it supports all. */
function unsupportedByOpenai(call: SpeechCall): "script" | "language" | null {
  if (call.voices.kind === "script") return "script";
  return call.language === null ? null : "language";
}

function curl(call: SpeechCall, origin: string): string {
  if (unsupportedByOpenai(call) === null) {
    return [
      `curl ${origin}/v1/audio/speech \\`,
      CURL_HEADERS,
      `  -d ${shellJson(openaiBody(call, "mp3"))} \\`,
      "  --fail-with-body --output speech.mp3",
    ].join("\n");
  }
  return [
    "# 24 kHz mono 16-bit samples without a header; ffplay plays them.",
    `curl ${origin}/v1beta/models/${modelPath(call.model)}:generateContent \\`,
    CURL_HEADERS,
    `  -d ${shellJson(geminiBody(call))} --fail-with-body \\`,
    `  | jq -r '.candidates[0].content.parts[0].inlineData.data' | base64 --decode > speech.pcm`,
    "ffplay -autoexit -f s16le -ar 24000 -ch_layout mono speech.pcm",
  ].join("\n");
}

function openaiJavascript(call: SpeechCall, origin: string): string {
  return [
    'import { writeFile } from "node:fs/promises";',
    openaiClient(origin),
    "",
    `const speech = await client.audio.speech.create(${javascriptLiteral(openaiBody(call, "mp3"))});`,
    'await writeFile("speech.mp3", Buffer.from(await speech.arrayBuffer()));',
  ].join("\n");
}

function genaiJavascript(call: SpeechCall, origin: string): string {
  const { generationConfig } = geminiBody(call);
  return [
    'import { writeFile } from "node:fs/promises";',
    genaiClient(origin),
    "",
    "const stream = await ai.models.generateContentStream({",
    `  model: ${literal(call.model)},`,
    `  contents: ${literal(call.text)},`,
    `  config: ${javascriptLiteral(generationConfig, "  ")},`,
    "});",
    "",
    "// 24 kHz mono 16-bit samples, as they arrive.",
    "const pieces = [];",
    "for await (const piece of stream) {",
    '  if (piece.data) pieces.push(Buffer.from(piece.data, "base64"));',
    "}",
    'await writeFile("speech.pcm", Buffer.concat(pieces));',
  ].join("\n");
}

function openaiPython(call: SpeechCall, origin: string): string {
  const fields = Object.entries(openaiBody(call, "mp3")).map(
    ([name, value]) => `    ${name}=${typeof value === "string" ? literal(value) : String(value)},`,
  );
  return [
    "import os",
    "from openai import OpenAI",
    "",
    `client = OpenAI(api_key=os.environ["${KEY_VARIABLE}"], base_url=${literal(`${origin}/v1`)})`,
    "",
    "with client.audio.speech.with_streaming_response.create(",
    ...fields,
    ") as speech:",
    '    speech.stream_to_file("speech.mp3")',
  ].join("\n");
}

function genaiPython(call: SpeechCall, origin: string): string {
  const { generationConfig } = geminiBody(call);
  return [
    "import os, wave",
    "from google import genai",
    "",
    "client = genai.Client(",
    `    api_key=os.environ["${KEY_VARIABLE}"],`,
    `    http_options={"base_url": ${literal(origin)}},`,
    ")",
    "reply = client.models.generate_content(",
    `    model=${literal(call.model)},`,
    `    contents=${literal(call.text)},`,
    `    config=${JSON.stringify(generationConfig, null, 4).replaceAll("\n", "\n    ")},`,
    ")",
    'with wave.open("speech.wav", "wb") as file:',
    "    file.setnchannels(1)",
    "    file.setsampwidth(2)",
    "    file.setframerate(24000)",
    "    file.writeframes(reply.candidates[0].content.parts[0].inline_data.data)",
  ].join("\n");
}

/** The call for curl, both JavaScript SDKs and Python; without the OpenAI SDK where it does not support the call. */
export function speechSamples(call: SpeechCall, origin: string): CodeSample[] {
  const isOpenaiCall = unsupportedByOpenai(call) === null;
  const samples: CodeSample[] = [
    { id: "curl", title: "curl", language: "bash", install: null, code: curl(call, origin) },
  ];
  if (isOpenaiCall) {
    samples.push({
      id: "openai-js",
      title: "JavaScript · OpenAI",
      language: "javascript",
      install: "npm install openai",
      code: openaiJavascript(call, origin),
    });
  }
  if (call.speed === 1 || call.voices.kind === "script") {
    samples.push({
      id: "genai-js",
      title: "JavaScript · Google GenAI",
      language: "javascript",
      install: "npm install @google/genai",
      code: genaiJavascript(call, origin),
    });
  }
  samples.push({
    id: "python",
    title: "Python",
    language: "python",
    install: isOpenaiCall ? "pip install openai" : "pip install google-genai",
    code: isOpenaiCall ? openaiPython(call, origin) : genaiPython(call, origin),
  });
  return samples;
}
