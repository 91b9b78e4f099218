import { expect, it } from "vitest";
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
