import { type CodeSample, KEY_VARIABLE, literal } from "../../lib/client/code-samples";
import { embeddingsSamples } from "../../lib/client/code-samples-embeddings";
import { speechSamples } from "../../lib/client/code-samples-speech";
import type { SpeechCall } from "../../lib/client/speech-call";
import type { ExampleModels } from "./openapi/example";

const SENTENCE = "The kettle is on.";
const SCRIPT = "Ann: Is the kettle on?\nBob: It has been singing for a minute.";

function vercel(origin: string, { speech, embeddings }: ExampleModels): string {
  return [
    'import { createOpenAI } from "@ai-sdk/openai";',
    'import { embed, experimental_generateSpeech as generateSpeech } from "ai";',
    "",
    "const patchbay = createOpenAI({",
    `  apiKey: process.env.${KEY_VARIABLE},`,
    `  baseURL: ${literal(`${origin}/v1`)},`,
    "});",
    "",
    "const { embedding } = await embed({",
    `  model: patchbay.embedding(${literal(embeddings)}),`,
    `  value: ${literal(SENTENCE)},`,
    "});",
    "const { audio } = await generateSpeech({",
    `  model: patchbay.speech(${literal(speech)}),`,
    `  text: ${literal(SENTENCE)},`,
    '  voice: "alloy",',
    "});",
    "console.log(embedding.length, audio.uint8Array.length);",
  ].join("\n");
}

const codeOf = (samples: readonly CodeSample[], id: CodeSample["id"]): string =>
  samples.find((one) => one.id === id)?.code ?? "";

/** The calls that guides show, by the name by which they ask for them, with this server's address and models. */
export function guideSamples(origin: string, models: ExampleModels): Readonly<Record<string, string>> {
  const call = (voice: string): SpeechCall => ({
    model: models.speech,
    text: SENTENCE,
    cast: { kind: "single", voice },
    language: null,
    speed: 1,
  });
  const script: SpeechCall = {
    ...call(""),
    text: SCRIPT,
    cast: {
      kind: "script",
      speakers: [
        { name: "Ann", voice: "Kore" },
        { name: "Bob", voice: "Puck" },
      ],
    },
  };
  const [spoken, scripted] = [speechSamples(call("alloy"), origin), speechSamples(script, origin)];
  const embedded = embeddingsSamples(
    { model: models.embeddings, texts: [SENTENCE], dimensions: null, format: "float" },
    origin,
  );
  return {
    "openai-embeddings": codeOf(embedded, "openai-js"),
    "openai-speech": codeOf(spoken, "openai-js"),
    "openai-python": codeOf(spoken, "python"),
    "genai-speech": codeOf(speechSamples(call("Kore"), origin), "genai-js"),
    "genai-python": codeOf(scripted, "python"),
    "curl-speech": codeOf(spoken, "curl"),
    "curl-embeddings": codeOf(embedded, "curl"),
    "script-curl": codeOf(scripted, "curl"),
    "script-genai": codeOf(scripted, "genai-js"),
    vercel: vercel(origin, models),
  };
}
