import { expect, test } from "vitest";
import { readEmbeddingsLink } from "@/components/embeddings/link";
import { replayHref } from "@/components/requests/replay";
import { readSpeechLink } from "@/components/speech/link";

const NONE = { voices: null, language: null, speed: null, dimensions: null, inputs: null };

function replayed(call: Partial<Parameters<typeof replayHref>[0]>): [path: string, link: unknown] {
  const href = replayHref({
    operation: "speech",
    model: "tts",
    prompt: null,
    ...call,
    parameters: { ...NONE, ...call.parameters },
  });
  const { pathname, hash } = new URL(href, "http://patchbay.test");
  return [pathname, pathname.endsWith("/speech") ? readSpeechLink(hash) : readEmbeddingsLink(hash)];
}

test("replays speech with model, voice and parameters, and without text if no text was stored", () => {
  const parameters = { ...NONE, voices: ["Kore"], language: "en-GB", speed: 1.5 };
  expect(replayed({ parameters })).toEqual([
    "/playground/speech",
    { model: "tts", voices: { kind: "single", voice: "Kore" }, language: "en-GB", speed: 1.5 },
  ]);
  expect(replayed({ prompt: "#text=a&b" })[1]).toEqual({ model: "tts", text: "#text=a&b" });
});

test("replays a script with the voice of each speaker, in the order in which they speak", () => {
  const parameters = { ...NONE, voices: ["Kore", "Puck"] };
  const prompt = "Ana: Hello.\nBen: Hi.\nAna: Bye.";
  expect(replayed({ parameters, prompt })[1]).toMatchObject({
    text: prompt,
    voices: {
      kind: "script",
      speakers: [
        { name: "Ana", voice: "Kore" },
        { name: "Ben", voice: "Puck" },
      ],
    },
  });
  // Without its text, or with another number of speakers, no speaker's voice is known.
  expect(replayed({ parameters })[1]).toEqual({ model: "tts" });
  expect(replayed({ parameters, prompt: "Ana: Hello." })[1]).toEqual({ model: "tts", text: "Ana: Hello." });
});

test("replays embeddings with dimensions and the stored texts", () => {
  const embeddings = { operation: "embeddings" as const, model: "embed" };
  const parameters = { ...NONE, dimensions: 256, inputs: 2 };
  expect(replayed({ ...embeddings, parameters, prompt: "one\ntwo" })).toEqual([
    "/playground/embeddings",
    { model: "embed", dimensions: 256, texts: ["one", "two"] },
  ]);
  // A line break inside a text: the texts cannot be distinguished.
  expect(replayed({ ...embeddings, parameters, prompt: "a\nb\nc" })[1]).toMatchObject({ texts: ["a\nb\nc"] });
  expect(replayed(embeddings)[1]).toEqual({ model: "embed" });
});
