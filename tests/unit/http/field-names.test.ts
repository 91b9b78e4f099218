import { expect, it } from "vitest";
import { EmbedContentRequest } from "../../../lib/contracts/gateway/gemini/embeddings";
import { GeminiSpeechRequest } from "../../../lib/contracts/gateway/gemini/speech";
import { camelFields } from "../../../lib/http/gateway/gemini/field-names";

it("renames the fields of the schema, also inside lists and unions", () => {
  expect(
    camelFields(GeminiSpeechRequest, {
      system_instruction: { parts: [] },
      contents: [{ parts: [{ text: "a", speech_metadata: { speaker: "x" } }] }],
      generation_config: {
        response_format: [{ audio: { mime_type: "AUDIO_WAV" } }],
        candidate_count: 1,
      },
    }),
  ).toEqual({
    systemInstruction: { parts: [] },
    contents: [{ parts: [{ text: "a", speechMetadata: { speaker: "x" } }] }],
    generationConfig: { responseFormat: [{ audio: { mimeType: "AUDIO_WAV" } }], candidateCount: 1 },
  });
});

it("names enums that were sent as numbers", () => {
  const config = (modes: unknown) => ({ generationConfig: { responseModalities: modes, candidateCount: 3 } });
  expect(camelFields(GeminiSpeechRequest, config([3]))).toEqual(config(["AUDIO"]));
  expect(camelFields(GeminiSpeechRequest, config([9, "AUDIO"]))).toEqual(config([9, "AUDIO"]));
  expect(camelFields(EmbedContentRequest, { task_type: 2, embedContentConfig: { taskType: 8 } })).toEqual({
    taskType: "RETRIEVAL_DOCUMENT",
    embedContentConfig: { taskType: "CODE_RETRIEVAL_QUERY" },
  });
});

it("leaves unknown fields and values of the wrong type unchanged", () => {
  const body = {
    contents: "x",
    generationConfig: { response_schema_of_mine: { first_name: 1 }, speechConfig: [] },
    labels: { cost_center: "7" },
  };
  expect(camelFields(GeminiSpeechRequest, body)).toEqual(body);
});

it("rejects both forms of one field and names its path", () => {
  const body = { contents: [{ parts: [{ text: "a", speechMetadata: {}, speech_metadata: {} }] }] };
  expect(() => camelFields(GeminiSpeechRequest, body)).toThrow(
    "'contents.0.parts.0.speechMetadata' was sent twice, as speechMetadata and as speech_metadata",
  );
});
