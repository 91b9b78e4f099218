import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { isAppError } from "../../../lib/errors";
import type { SpeechEvent } from "../../../lib/ports/speech-model";
import { geminiSpeech } from "../../../lib/providers/gemini/speech";
import { SYSTEM_CLOCK } from "../../support/factories";
import { callOptions, channelTo, speechRequest } from "../../support/upstream/rig";
import { wavFile } from "../../support/upstream/sounds";

/**
 * Forwarded base64 of a reply, compared with its samples decoded by `pcmOf`: the same samples and end, or the same
 * error.
 */

const channel = channelTo("gemini", { origin: "http://127.0.0.1:1" }, { options: { streaming: false } });

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The events of a whole reply with this text, received in pieces of `size`; or the error. */
async function read(reply: string, size: number, acceptsBase64: boolean) {
  const model = geminiSpeech(
    {
      clock: SYSTEM_CLOCK,
      limits: DEFAULT_LIMITS,
      decryptKey: () => "sk-upstream",
      client: {
        call: async () => ({
          header: () => null,
          contentType: "application/json",
          isDelimited: true,
          body: { [Symbol.asyncIterator]: () => inPieces(Buffer.from(reply), size), close: () => undefined },
        }),
        callWhole: () => Promise.reject(new Error("speech is streamed")),
        allowList: () => {
          throw new Error("not needed");
        },
        close: async () => undefined,
      },
    },
    channel,
  );
  const events: SpeechEvent[] = [];
  try {
    const request = speechRequest("tts", acceptsBase64 ? { acceptsBase64 } : {});
    for await (const event of model.synthesize(request, callOptions())) events.push(event);
    return { events, error: null };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { events, error: { code: error.code, message: error.message } };
  }
}

/** The samples in base64, their number, the end and the error. */
async function outcome(reply: string, size: number, acceptsBase64: boolean) {
  const { events, error } = await read(reply, size, acceptsBase64);
  const texts = events.flatMap((event) => (event.type === "base64" ? [event.text] : []));
  const pcm = events.flatMap((event) => (event.type === "audio" ? [event.pcm] : []));
  const bytes = events.reduce((sum, event) => sum + (event.type === "base64" ? event.bytes : 0), 0);
  const isForwarded = texts.length > 0;
  return {
    isForwarded,
    seen: {
      // After an error the reply is not sent, so the audio before the error is not compared.
      base64:
        error === null
          ? isForwarded
            ? Buffer.concat(texts).toString("latin1")
            : Buffer.concat(pcm).toString("base64")
          : "",
      bytes: error === null ? (isForwarded ? bytes : Buffer.concat(pcm).length) : 0,
      end: events.filter((event) => event.type === "end"),
      error,
    },
  };
}

async function expectSame(reply: string, size: number): Promise<boolean> {
  const fast = await outcome(reply, size, true);
  const slow = await outcome(reply, size, false);
  expect(slow.isForwarded).toBe(false);
  expect(fast.seen).toEqual(slow.seen);
  return fast.isForwarded;
}

const pcmOf = (bytes: number): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 7_919) % 251));
const L16 = "audio/L16;codec=pcm;rate=24000";
const part = (data: string, mimeType = L16) => ({ inlineData: { mimeType, data } });
const replyOf = (parts: unknown[], more: object = {}): string =>
  JSON.stringify({
    candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0, ...more }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 117 },
  });
const LONG = pcmOf(150_002).toString("base64");

describe("base64 of a whole reply", () => {
  test.each([1_001, 16_384, 65_536, 300_000])("is forwarded unchanged, in pieces of %d", async (size) => {
    for (const bytes of [150_000, 150_002, 150_004, 90_000])
      expect(await expectSame(replyOf([part(pcmOf(bytes).toString("base64"))]), size), `${bytes}`).toBe(true);
    const thought = { text: "thinking", thought: true };
    expect(await expectSame(replyOf([thought, part(LONG), { text: "" }]), size)).toBe(true);
    const snake = { inline_data: { mime_type: "audio/l16 ; rate=24000", data: LONG } };
    expect(await expectSame(replyOf([snake]), size)).toBe(true);
    expect(await expectSame(`[${replyOf([part(LONG)])}]`, size)).toBe(true);
  });

  test.each([
    ["of several parts", replyOf([part(LONG), part(LONG)])],
    ["of a WAV file", replyOf([part(`UklGR${LONG.slice(5)}`, "audio/wav")])],
    ["of a WAV file with a raw media type", replyOf([part(`UklGR${LONG.slice(5)}`)])],
    ["of compressed audio", replyOf([part(`T2dnU${LONG.slice(5)}`)])],
    ["at another rate", replyOf([part(LONG, "audio/L16;rate=16000")])],
    ["of two channels", replyOf([part(LONG, `${L16};channels=2`)])],
    ["of another type", replyOf([part(LONG, "video/mp4")])],
    ["of a type with the same beginning", replyOf([part(LONG, "audio/L16x")])],
    ["without a type", replyOf([{ inlineData: { data: LONG } }])],
    ["with half a sample", replyOf([part(pcmOf(150_001).toString("base64"))])],
    ["with escapes", replyOf([part(LONG)]).replace("AA", "\\u0041A")],
    ["without its padding", replyOf([part(pcmOf(150_002).toString("base64").replace(/=+$/, ""))])],
    ["with bits after its last byte", replyOf([part(LONG.replace(/.==$/, "B=="))])],
    ["in the URL alphabet", replyOf([part(LONG.replaceAll("+", "-").replaceAll("/", "_"))])],
    ["of a short reply", replyOf([part(pcmOf(3_000).toString("base64"))])],
    ["of no samples", replyOf([part("")])],
    ["without a finish reason", replyOf([part(LONG)], { finishReason: undefined })],
    ["beside an error", JSON.stringify({ error: { code: 503, message: "busy" }, candidates: LONG })],
    ["with more than one message", `[${replyOf([part(LONG)])},${replyOf([part(LONG)])}]`],
    [
      "with another candidate first",
      replyOf([part(LONG)]).replace("[", `[{"content":{"parts":[${JSON.stringify(part(LONG))}]},"index":1},`),
    ],
    ["cut in its JSON", replyOf([part(LONG)]).slice(0, -40)],
  ])("%s has the same outcome as decoded samples", async (_title, reply) => {
    for (const size of [9_999, 65_536]) await expectSame(reply, size);
  });

  test("with any change has the same outcome as decoded samples", async () => {
    const letters = fc.constantFrom(..."AZaz09+/", "=", "-", "_", " ", "*", "é", "\\n", "\\u0041", "\\");
    const change = fc.tuple(fc.nat(90_000), fc.oneof(fc.constant(""), letters));
    let forwarded = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 66_000, max: 66_020 }),
        fc.array(change, { maxLength: 2 }),
        fc.constantFrom("", "", "=", "==", "==="),
        fc.constantFrom(1_001, 8_192, 33_333, 100_000),
        async (length, changes, padding, size) => {
          let data = Buffer.alloc(length, "Zm9vYmFy+/A9").toString("latin1") + padding;
          for (const [at, letter] of changes) data = data.slice(0, at) + letter + data.slice(at + 1);
          const reply = replyOf([part("here")]).replace("here", () => data);
          if (await expectSame(reply, size)) forwarded += 1;
        },
      ),
      { numRuns: 150, seed: 20_261_122 },
    );
    expect(forwarded).toBeGreaterThan(5);
  });
});

test("reads each WAV file of a reply with several parts without its header", async () => {
  const files = [30_000, 20_000].map((bytes) => wavFile(pcmOf(bytes), 24_000, false));
  const reply = replyOf(files.map((file) => part(file.toString("base64"), "audio/wav")));
  const { seen } = await outcome(reply, 65_536, false);
  expect(seen.base64).toBe(Buffer.concat([pcmOf(30_000), pcmOf(20_000)]).toString("base64"));
});
