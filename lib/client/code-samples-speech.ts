import { codePoints } from "../contracts/code-points";
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
import { goProgram, goSaves, type JsonPost, javaProgram, javaSaves, phpProgram } from "./code-samples-http";
import {
  dialectOf,
  geminiBody,
  modelPath,
  OPENAI_INPUT_LIMIT,
  openaiBody,
  type SpeechCall,
} from "./speech-call";

/**
 * Whether the sample uses the OpenAI endpoint, which requires a voice and has neither scripts, languages nor long
 * texts.
 */
const fitsOpenai = (call: SpeechCall) =>
  call.voices.kind === "single" &&
  call.language === null &&
  (dialectOf(call) === "openai" ||
    (call.voices.voice !== null && codePoints(call.text) <= OPENAI_INPUT_LIMIT));

function curl(call: SpeechCall, origin: string, isOpenaiCall: boolean): string {
  if (isOpenaiCall) {
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

function postOf(call: SpeechCall, origin: string, isOpenaiCall: boolean): JsonPost {
  return isOpenaiCall
    ? { url: `${origin}/v1/audio/speech`, body: openaiBody(call, "mp3") }
    : { url: `${origin}/v1beta/models/${modelPath(call.model)}:generateContent`, body: geminiBody(call) };
}

function go(call: SpeechCall, origin: string, isOpenaiCall: boolean): string {
  if (isOpenaiCall) return goProgram(postOf(call, origin, isOpenaiCall), goSaves("speech.mp3"));
  return goProgram(postOf(call, origin, isOpenaiCall), {
    imports: ["encoding/json"],
    lines: [
      "var speech struct {",
      "\tCandidates []struct {",
      "\t\tContent struct {",
      "\t\t\tParts []struct {",
      "\t\t\t\tInlineData struct {",
      "\t\t\t\t\tData []byte",
      "\t\t\t\t}",
      "\t\t\t}",
      "\t\t}",
      "\t}",
      "}",
      "if err := json.NewDecoder(reply.Body).Decode(&speech); err != nil {",
      "\tlog.Fatal(err)",
      "}",
      "// 24 kHz mono 16-bit samples without a header.",
      "audio := speech.Candidates[0].Content.Parts[0].InlineData.Data",
      'if err := os.WriteFile("speech.pcm", audio, 0o644); err != nil {',
      "\tlog.Fatal(err)",
      "}",
    ],
  });
}

function java(call: SpeechCall, origin: string, isOpenaiCall: boolean): string {
  if (isOpenaiCall) return javaProgram("Speech", postOf(call, origin, isOpenaiCall), javaSaves("speech.mp3"));
  return javaProgram("Speech", postOf(call, origin, isOpenaiCall), {
    handler: "ofString",
    imports: ["java.nio.file.Files", "java.nio.file.Path", "java.util.Base64", "java.util.regex.Pattern"],
    lines: [
      "// The JDK has no JSON parser. Base64 has no quotes, so a pattern finds the audio.",
      'var audio = Pattern.compile("\\"data\\"\\\\s*:\\\\s*\\"([^\\"]+)\\"").matcher(reply.body());',
      'if (!audio.find()) throw new IllegalStateException("no audio in the reply");',
      "// 24 kHz mono 16-bit samples without a header.",
      'Files.write(Path.of("speech.pcm"), Base64.getDecoder().decode(audio.group(1)));',
    ],
  });
}

function php(call: SpeechCall, origin: string, isOpenaiCall: boolean): string {
  return phpProgram(
    postOf(call, origin, isOpenaiCall),
    isOpenaiCall
      ? ["file_put_contents('speech.mp3', $reply);"]
      : [
          "$speech = json_decode($reply, flags: JSON_THROW_ON_ERROR);",
          "// 24 kHz mono 16-bit samples without a header.",
          "$audio = $speech->candidates[0]->content->parts[0]->inlineData->data;",
          "file_put_contents('speech.pcm', base64_decode($audio));",
        ],
  );
}

/**
 * The call for curl, JavaScript, Python, Go, Java and PHP; without the OpenAI or Gemini SDK where it does not support
 * the call. A long text is shortened, with a comment that says so.
 */
export function speechSamples(call: SpeechCall, origin: string): CodeSample[] {
  const text = shortened(call.text);
  // The whole text decides on the endpoint, not the shortened one.
  const samples = samplesOf({ ...call, text }, origin, fitsOpenai(call));
  if (text === call.text) return samples;
  const comment = `Shows the first ${MAX_CHARACTERS} characters of the text; send all of it.`;
  return samples.map((sample) => withComment(sample, comment));
}

function samplesOf(call: SpeechCall, origin: string, isOpenaiCall: boolean): CodeSample[] {
  return [
    codeSample("curl", curl(call, origin, isOpenaiCall)),
    ...(isOpenaiCall ? [codeSample("openai-js", openaiJavascript(call, origin))] : []),
    ...(dialectOf(call) === "gemini" ? [codeSample("genai-js", genaiJavascript(call, origin))] : []),
    isOpenaiCall
      ? codeSample("python", openaiPython(call, origin))
      : codeSample("python", genaiPython(call, origin), { install: "pip install google-genai" }),
    codeSample("go", go(call, origin, isOpenaiCall)),
    codeSample("java", java(call, origin, isOpenaiCall)),
    codeSample("php", php(call, origin, isOpenaiCall)),
  ];
}
