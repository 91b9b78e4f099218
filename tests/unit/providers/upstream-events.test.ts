import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpeechUsage } from "@/lib/ports/speech-model";
import { speechEventPcm } from "@/lib/providers/openai/speech";
import { ByteBlocks, gatherBytes } from "@/lib/providers/outbound/byte-blocks";
import { asFields } from "@/lib/providers/outbound/json";
import { asBase64, decodedBase64, LongString, readJson } from "@/lib/providers/outbound/long-json";
import { serverSentEvents } from "@/lib/providers/outbound/server-sent-events";
import { callOptions, channelTo, createRig, hear, speechRequest } from "../../support/upstream/rig";
import { startUpstream } from "../../support/upstream/server";

/** Server-sent events and JSON from upstreams: of any size, split anywhere. */

async function* inPieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (let i = 1; i < at.length; i += 1) yield bytes.subarray(at[i - 1], at[i]);
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The base64 in the field `a` of a JSON text that arrives in pieces. */
async function base64In(json: string, pieceBytes: number) {
  const fields = asFields(await readJson(await gatherBytes(chunksOf(Buffer.from(json), pieceBytes))));
  return asBase64(fields?.a) ?? "";
}

async function eventsOf(body: AsyncIterable<Uint8Array>): Promise<{ event: string; data: string }[]> {
  const events = [];
  for await (const { event, data } of serverSentEvents(body)) events.push({ event, data: data.text() });
  return events;
}

/** Counts the turns of the event loop until `work` has ended. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

/** The events with data of a whole text, by WHATWG HTML §9.2.6, plain JSON, and the data after the last blank line. */
function referenceEvents(text: string): { event: string; data: string }[] {
  const events: { event: string; data: string }[] = [];
  let event = "";
  let data: string[] = [];
  let isPlain = false;
  const dispatch = (): void => {
    const text = data.join("\n");
    if (text !== "") events.push({ event: event || "message", data: text });
    event = "";
    data = [];
    isPlain = false;
  };
  for (const [at, whole] of text.split(/\r\n|\r|\n/).entries()) {
    const line = at === 0 ? whole.replace(/^\uFEFF/, "") : whole;
    if (line === "" || (isPlain && /^[deir:]/.test(line))) dispatch();
    if (whole.startsWith("{") && data.length === 0) isPlain = true;
    if (isPlain) {
      data.push(line);
      continue;
    }
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name === "data") data.push(value);
    if (name === "event") event = value;
  }
  dispatch();
  return events;
}

describe("server-sent events", () => {
  test("are the same wherever the network splits their bytes", async () => {
    const text = ': hello\r\n\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nevent: done\ndata:x\nid: 7\n\ndata: 最后';
    const expected = [
      { event: "message", data: '{"a":\n"ü"}' },
      { event: "done", data: "x" },
      { event: "message", data: "最后" },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 12 }), async (cuts) => {
        expect(await eventsOf(inPieces(Buffer.from(text), cuts))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test("include plain JSON between them and at the end, wherever it is split", async () => {
    const text =
      'data: 1\n\n{\n  "a": "x:y",\r\n\t"b": 2\n}\n\ndata: {\n{ignored\n\n{"c": 3}\r\ndata: [DONE]\n\n{"error": {}}';
    const expected = ["1", '{\n  "a": "x:y",\n\t"b": 2\n}', "{", '{"c": 3}', "[DONE]", '{"error": {}}'];
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1)
      expect(
        (await eventsOf(chunksOf(bytes, size))).map(({ data }) => data),
        String(size),
      ).toEqual(expected);
  });

  test("match the standard for any text and any splits", async () => {
    const part = fc.constantFrom(
      ...["data", "data:", "data: ", "event: ", "event", "id: 1", "retry: 5", ": comment", "dat", "other: "],
      ...["a", "ü", "最", "😀", "\uFEFF", " ", ":", "{}", "x".repeat(70)],
      ...["\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r"],
    );
    const texts = fc
      .tuple(fc.constantFrom("", "\uFEFF"), fc.array(part, { maxLength: 40 }))
      .map(([mark, parts]) => mark + parts.join(""));
    const cuts = fc.oneof(fc.array(fc.nat(), { maxLength: 8 }), fc.constant(null));
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (text, where) => {
        const bytes = Buffer.from(text);
        const body = where === null ? chunksOf(bytes, 1) : inPieces(bytes, where);
        expect(await eventsOf(body)).toEqual(referenceEvents(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("are refused above 32 MiB and when they are not UTF-8", async () => {
    const endless = async function* () {
      yield Buffer.from("data: ");
      for (;;) yield Buffer.alloc(1024 * 1024, 0x61);
    };
    await expect(eventsOf(endless())).rejects.toMatchObject({ code: "upstream_invalid" });
    for (const bad of [Buffer.from([0x7b, 0xff, 0xfe]), Buffer.from("event: \u00ff\ndata: 1\n\n", "latin1")])
      await expect(eventsOf(chunksOf(bad, 2))).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test.each(["\n", ":\n\n", "data: 1\n\n"])(
    "let other work run between the lines of a flood of %j",
    async (lines) => {
      const flood = Buffer.from(lines.repeat(65_536));
      expect(await turnsDuring(() => eventsOf(chunksOf(flood, flood.length)))).toBeGreaterThan(100);
    },
  );
});

describe("JSON in blocks", () => {
  /** The result of `readJson`, with long strings as text. */
  async function read(text: string, pieceBytes: number): Promise<unknown> {
    const value = await readJson(await gatherBytes(chunksOf(Buffer.from(text), pieceBytes)));
    const whole = (one: unknown): unknown => {
      if (one instanceof LongString) return JSON.parse(`"${Buffer.concat([...one.pieces()])}"`);
      if (Array.isArray(one)) return one.map(whole);
      const fields = asFields(one);
      if (fields === null) return one;
      return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, whole(field)]));
    };
    return whole(value);
  }

  test("has the value of JSON.parse for strings of any length", async () => {
    const letters = fc.constantFrom("a", '"', "\\", "/", "\n", "ü", "😀", "patchbay-long-string:0");
    const texts = fc
      .tuple(fc.array(letters, { maxLength: 5 }), fc.nat(30_000))
      .map(([parts, times]) => parts.join("").repeat(times).slice(0, 150_000));
    const values = fc.array(
      fc.record({ text: texts, rate: fc.integer(), more: fc.array(texts, { maxLength: 2 }) }),
    );
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1_000, max: 100_000 }), async (value, pieceBytes) => {
        // The placeholder of a long string becomes that string, also with white space at its end; any other text stays.
        fc.pre(!/"patchbay-long-string:0(?:\\n)*"/.test(JSON.stringify(value)));
        expect(await read(JSON.stringify(value), pieceBytes)).toEqual(value);
      }),
      { numRuns: 60 },
    );
  });

  test("may begin with a byte order mark", async () => {
    for (const value of [{ a: 1 }, { audio: "A".repeat(100_000) }])
      expect(await read(`\ufeff${JSON.stringify(value)}`, 4_096)).toEqual(value);
  });

  test("is undefined when it stops in the middle, and is refused with too much besides strings", async () => {
    const text = JSON.stringify({ audio: "A".repeat(200_000), type: "x" });
    for (const end of [1, 10, 1_000, 100_000, 200_005, text.length - 1])
      expect(await read(text.slice(0, end), 4_096)).toBeUndefined();
    const many = `[${"1,".repeat(1_500_000)}1]`;
    await expect(read(many, 65_536)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  test("decodes base64 of any length, including escaped characters", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_001 }, (_, i) => (i * 7_919) % 256));
    const plain = bytes.toString("base64");
    const forms = [
      plain,
      plain.replaceAll("/", "\\/"),
      plain.replaceAll("=", "\\u003d"),
      plain.replace(/=+$/, ""),
      plain.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    ];
    for (const form of forms) {
      const base64 = await base64In(`{"a":"${form}"}`, 1_001);
      const pieces: Uint8Array[] = [];
      for await (const piece of decodedBase64(base64)) pieces.push(piece);
      expect(pieces.length).toBeGreaterThan(3);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    }
    for (const at of [0, 50_000, 100_003, plain.length - 5]) {
      for (const wrong of ["*", "=", "\\n", "\\u4e00", ""]) {
        const form = plain.slice(0, at) + wrong + plain.slice(at + 1);
        const base64 = await base64In(`{"a":"${form}"}`, 9_999);
        const work = (async () => {
          for await (const piece of decodedBase64(base64)) expect(piece.length).toBeGreaterThan(0);
        })();
        await expect(work, `${wrong} at ${at}`).rejects.toMatchObject({ code: "upstream_invalid" });
      }
    }
  });
});

test.each([null, { message: "broken" }, "broken"])(
  "speech events whose 'error' is %j fail only if it is not null",
  async (error) => {
    const audio = Buffer.alloc(4_800, 1).toString("base64");
    const events = [
      { type: "speech.audio.delta", audio, error },
      { type: "speech.audio.done", error },
    ];
    const body = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    const usage: SpeechUsage = { inputTokens: null, outputTokens: null };
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of speechEventPcm(chunksOf(body, 1_000), null, usage, [])) bytes += piece.length;
      return bytes;
    })();
    if (error === null) expect(await reading).toBe(4_800);
    else await expect(reading).rejects.toMatchObject({ code: "upstream_error" });
  },
);

test.each([
  { type: "error", error: { message: "no quota for sk-upstream-1" } },
  { type: "error", message: "no quota for sk-upstream-1" },
  { error: "no quota for sk-upstream-1" },
])("the error event %j has its message for administrators, without the upstream key", async (event) => {
  const body = Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
  const usage: SpeechUsage = { inputTokens: null, outputTokens: null };
  const pcm = speechEventPcm(chunksOf(body, 1_000), null, usage, ["sk-upstream-1"]);
  await expect(pcm.next()).rejects.toMatchObject({
    code: "upstream_error",
    details: { upstreamMessage: expect.stringMatching(/^no quota for (?!sk-upstream-1)/) },
  });
});

test("speech events may have empty audio, but must not lack it", async () => {
  const audio = Buffer.alloc(4_800, 1).toString("base64");
  const read = async (second: object) => {
    const events = [{ audio }, second, { audio }].map((one) => ({ type: "speech.audio.delta", ...one }));
    const body = [...events, { type: "speech.audio.done" }].map((one) => `data: ${JSON.stringify(one)}\n\n`);
    let bytes = 0;
    const usage: SpeechUsage = { inputTokens: null, outputTokens: null };
    const pcm = speechEventPcm(chunksOf(Buffer.from(body.join("")), 1_000), null, usage, []);
    for await (const piece of pcm) bytes += piece.length;
    return bytes;
  };
  expect([await read({ audio: "" }), await read({ delta: "" })]).toEqual([9_600, 9_600]);
  for (const second of [{}, { audio: null }, { audio: 1 }])
    await expect(read(second)).rejects.toMatchObject({ code: "upstream_invalid" });
});

test("speech continues after an event with empty data", async () => {
  const audio = Buffer.alloc(4_800, 1).toString("base64");
  const event = `event: speech.audio.delta\ndata: ${JSON.stringify({ audio })}\n\n`;
  const body = Buffer.from(`${event}data:\n\ndata: \n\n${event}data: [DONE]\n\n`);
  const counts: SpeechUsage = { inputTokens: null, outputTokens: null };
  let bytes = 0;
  for await (const pcm of speechEventPcm(chunksOf(body, 1_000), 24_000, counts, [])) bytes += pcm.length;
  expect(bytes).toBe(9_600);
});

test("base64 without escapes has the same bytes or error as escaped base64", async () => {
  const outcome = async (form: string, pieceBytes: number) => {
    const base64 = await base64In(`{"a":"${form}"}`, pieceBytes);
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of decodedBase64(base64)) pieces.push(piece);
    } catch (error) {
      return error;
    }
    // Whole samples, except at the end.
    expect(pieces.slice(0, -1).filter(({ length }) => length % 2 === 1)).toEqual([]);
    return Buffer.concat(pieces).toString("hex");
  };
  const letters = fc.constantFrom(..."AZaz09+/", ..."AZaz09+/", "=", "-", "_", " ", "*", "é");
  const wrong = fc.tuple(fc.nat(80_000), fc.oneof(fc.constant(""), letters));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 66_000, max: 66_020 }),
      fc.array(wrong, { maxLength: 2 }),
      fc.constantFrom("", "=", "==", "==="),
      fc.constantFrom(1_001, 8_192, 33_333, 100_000),
      async (length, changes, padding, pieceBytes) => {
        let form = Buffer.alloc(length, "Zm9vYmFy+/A9").toString("latin1").slice(0, length) + padding;
        for (const [at, letter] of changes) form = form.slice(0, at) + letter + form.slice(at + 1);
        // One escaped letter selects the decoder for escaped base64.
        const escaped = form.replace(/^./, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
        expect(await outcome(form, pieceBytes)).toEqual(await outcome(escaped, pieceBytes));
      },
    ),
    { numRuns: 150 },
  );
});

describe("20 MiB of audio in one event", () => {
  const pcm = Buffer.alloc(20 * 1024 * 1024, "\u0001\u0002\u0003\u0004");
  const data = pcm.toString("base64");
  const openAi = Buffer.from(
    `data: {"type":"speech.audio.delta","audio":"${data}"}\n\ndata: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":9}}\n\n`,
  );

  test("takes time linear in its bytes, and lets other work run between steps", async () => {
    const reported: SpeechUsage = { inputTokens: null, outputTokens: null };
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let bytes = 0;
    let most = 0;
    let since = { turns, bytes };
    const before = process.cpuUsage();
    for await (const piece of speechEventPcm(chunksOf(openAi, 16_384), null, reported, [])) {
      if (turns !== since.turns) since = { turns, bytes };
      bytes += piece.length;
      most = Math.max(most, bytes - since.bytes);
    }
    const { user, system } = process.cpuUsage(before);
    isOver = true;
    console.log(`${((user + system) / 1_000).toFixed(0)} ms of CPU for 20 MiB in one event`);
    expect([bytes, reported]).toEqual([pcm.length, { inputTokens: 3, outputTokens: 9 }]);
    // Searching the text again with every chunk took 8 s.
    expect(user + system).toBeLessThan(1_500_000);
    expect(most).toBeLessThanOrEqual(128 * 1024);
  });

  test("is complete from Gemini, in an event or in one JSON reply", async () => {
    const own = await startUpstream();
    const rig = createRig([own]);
    const text = "x".repeat((20 * 1024 * 1024 * 100) / 48_000);
    for (const streaming of [true, false]) {
      const channel = channelTo("gemini", own, { options: { streaming } });
      const request = speechRequest("tts--one-event", { segments: [{ text, voice: "Kore" }] });
      const { pcm: received, error, end } = await hear(rig.speech(channel), request, callOptions());
      expect([error, end?.finishReason]).toEqual([null, "STOP"]);
      expect(received.length).toBeGreaterThan(20 * 1024 * 1023);
    }
    await rig.close();
    await own.close();
  });
});

test("ByteBlocks returns what was appended, in chunks of any size", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200_000), { maxLength: 12 }), fc.nat(), fc.nat(), (sizes, a, b) => {
      const blocks = new ByteBlocks();
      const whole = Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1)));
      let at = 0;
      for (const size of sizes) {
        blocks.append(whole.subarray(at, at + size));
        at += size;
      }
      const [from = 0, to = 0] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y);
      expect(blocks.length).toBe(whole.length);
      expect(Buffer.concat([...blocks.pieces(from, to)]).equals(whole.subarray(from, to))).toBe(true);
    }),
  );
});
