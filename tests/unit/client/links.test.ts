import { expect, test } from "vitest";
import { readEmbeddingsLink, writeEmbeddingsLink } from "@/components/embeddings/link";
import { readSpeechLink, writeSpeechLink } from "@/components/speech/link";
import type { SpeechCall } from "@/lib/client/speech-call";

const hard = 'Zeile 1\n"&=#+%" 你好 👋🏽 | Ana: ';

test("round-trips text and settings through a speech link", () => {
  const single: SpeechCall = {
    model: "org/voice:1",
    text: hard,
    voices: { kind: "single", voice: "Kore" },
    language: "cmn-CN",
    speed: 1.25,
  };
  expect(readSpeechLink(writeSpeechLink(single))).toEqual(single);
  const script: SpeechCall = {
    ...single,
    voices: {
      kind: "script",
      speakers: [
        { name: "A|b & c", voice: "Puck" },
        { name: "安娜", voice: "nova" },
      ],
    },
  };
  expect(readSpeechLink(writeSpeechLink(script))).toEqual(script);
  const { speed: _, ...atNaturalSpeed } = single;
  const instructed = { ...atNaturalSpeed, instructions: "Whisper & smile." };
  const candidates = [
    { model: "org/voice:1", voice: "Kore" },
    { model: "tts", voice: "安娜" },
  ];
  expect(readSpeechLink(writeSpeechLink({ ...instructed, speed: 1 }, candidates))).toEqual({
    ...instructed,
    candidates,
  });
});

test("ignores invalid values in a speech link", () => {
  expect(readSpeechLink("")).toBeNull();
  expect(readSpeechLink("#other=1")).toBeNull();
  expect(readSpeechLink("#text=a&speed=99&language=<script>&speaker=Ana&speaker=%7CKore")).toEqual({
    text: "a",
  });
  expect(readSpeechLink(`#${"speaker=A%7CKore&".repeat(20)}`)?.voices).toMatchObject({
    speakers: { length: 8 },
  });
  expect(() => readSpeechLink("#text=%E0%A4%A")).not.toThrow();
});

test("round-trips texts, settings and query through an embeddings link", () => {
  const call = { model: "patchbay-embed", texts: [hard, "b"], dimensions: 256, format: "base64" as const };
  expect(readEmbeddingsLink(writeEmbeddingsLink(call, "who?"))).toEqual({ ...call, query: "who?" });
  expect(readEmbeddingsLink("#dimensions=-3&format=xml")).toBeNull();
});
