import { type CodeSample, KEY_VARIABLE, literal } from "../../lib/client/code-samples";
import { embeddingsSamples } from "../../lib/client/code-samples-embeddings";
import { speechSamples } from "../../lib/client/code-samples-speech";
import type { SpeechCall } from "../../lib/client/speech-call";
import type { ExampleModels } from "./openapi/example";

const SENTENCE = "The kettle is on.";
const SCRIPT = "Ann: Is the kettle on?\nBob: It has been singing for a minute.";

function vercelSample(origin: string, { speech, embeddings }: ExampleModels): string {
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

const codeWithId = (samples: readonly CodeSample[], id: CodeSample["id"]): string =>
  samples.find((one) => one.id === id)?.code ?? "";

/** The code samples of the guides, by the name in `{{sample:name}}`, for this server's origin and models. */
export function guideSamples(origin: string, models: ExampleModels): Readonly<Record<string, string>> {
  const call = (voice: string): SpeechCall => ({
    model: models.speech,
    text: SENTENCE,
    voices: { kind: "single", voice },
    language: null,
    speed: 1,
  });
  const script: SpeechCall = {
    ...call(""),
    text: SCRIPT,
    voices: {
      kind: "script",
      speakers: [
        { name: "Ann", voice: "Kore" },
        { name: "Bob", voice: "Puck" },
      ],
    },
  };
  const singleSpeaker = speechSamples(call("alloy"), origin);
  const multiSpeaker = speechSamples(script, origin);
  const embeddings = embeddingsSamples(
    { model: models.embeddings, texts: [SENTENCE], dimensions: null, format: "float" },
    origin,
  );
  return {
    "openai-embeddings": codeWithId(embeddings, "openai-js"),
    "openai-speech": codeWithId(singleSpeaker, "openai-js"),
    "openai-python": codeWithId(singleSpeaker, "python"),
    "genai-speech": codeWithId(speechSamples(call("Kore"), origin), "genai-js"),
    "genai-python": codeWithId(multiSpeaker, "python"),
    "curl-speech": codeWithId(singleSpeaker, "curl"),
    "curl-embeddings": codeWithId(embeddings, "curl"),
    "script-curl": codeWithId(multiSpeaker, "curl"),
    "script-genai": codeWithId(multiSpeaker, "genai-js"),
    vercel: vercelSample(origin, models),
  };
}
