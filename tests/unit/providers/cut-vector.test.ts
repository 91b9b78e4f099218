import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppError } from "../../../lib/errors";
import { isFiniteVector } from "../../../lib/ports/embedding-model";
import { readAll, readOne } from "../../../lib/providers/openai/embeddings";
import { parseJson } from "../../../lib/providers/outbound/json";

function outcome(read: () => { vectors: Float32Array[]; inputTokens: number | null } | null): unknown {
  try {
    const result = read();
    return result === null ? null : { vectors: result.vectors, inputTokens: result.inputTokens };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
}

/**
 * Expects the fast result of a reply to be that of the whole parsed reply; returns it, or null if only the parser reads
 * it.
 */
function compare(reply: string): unknown {
  const bytes = Buffer.from(reply);
  const fast = outcome(() => readOne(bytes));
  if (fast !== null) expect(fast).toEqual(outcome(() => readAll(parseJson(bytes), 1)));
  return fast;
}

const base64Of = (numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
const VECTOR = base64Of([0.5, -0.25, 1]);
const item = (embedding: string, more = ""): string =>
  `{"object":"embedding",${more}"embedding":${embedding}}`;
const reply = (items: string): string => `{"data":[${items}],"model":"m","usage":{"prompt_tokens":3}}`;

test("reads a usual reply, and returns its base64 unchanged if that is the canonical form of its vector", () => {
  const result = readOne(Buffer.from(reply(item(`"${VECTOR}"`, '"index":0,'))));
  expect(result?.vectors).toEqual([Float32Array.of(0.5, -0.25, 1)]);
  expect(result?.inputTokens).toBe(3);
  expect(Buffer.from(result?.base64 ?? []).toString()).toBe(VECTOR);
  const padded = readOne(Buffer.from(reply(item(`"${base64Of([0.5])}"`))));
  expect([padded?.vectors, padded?.base64]).toEqual([[Float32Array.of(0.5)], undefined]);
  const ofUrls = base64Of([-1.7e38, -1.7e38, -1.7e38]).replaceAll("+", "-").replaceAll("/", "_");
  expect(readOne(Buffer.from(reply(item(`"${ofUrls}"`))))?.base64).toBe(
    ofUrls.match(/[-_]/) ? undefined : ofUrls,
  );
});

test.each([
  reply(`${item(`"${VECTOR}"`)},${item(`"${VECTOR}"`)}`),
  reply(item(`"${VECTOR}"`, '"index":1,')),
  reply(item(`"${VECTOR}"`, '"embedding":[1],')),
  reply(item("[0.5]", `"embedding":"${VECTOR}",`)),
  reply(item(`"${VECTOR}"`, '"note":"\\"embedding\\":\\"AAAA\\"",')),
  reply(item(`"${VECTOR}"`, '"x\\"embedding":"AAAA",')),
  reply(item(`"${VECTOR.replaceAll("A", "\\u0041")}"`)),
  reply(item('"AAAA\\/AAA"')),
  reply(item('""')),
  reply(item('"AAAA"')),
  reply(item('"AAAAAAA*"')),
  reply(item('"AADAfwAA"')),
  reply(item('"\\u0000 vector"')),
  reply(item(`"${VECTOR}"`)).slice(0, -9),
  reply(`{"embedding":"${VECTOR}`),
  `{"embedding":"${VECTOR}"}`,
  '{"data":[{"embedding" : "AAAA"}]}',
  "",
  "[]",
])("returns the result of the whole parsed reply: %s", (text) => {
  compare(text);
});

test("returns the result of the whole parsed reply for any change of a byte", () => {
  const usual = Buffer.from(reply(item(`"${VECTOR}"`, '"index":0,')));
  fc.assert(
    fc.property(fc.nat(usual.length - 1), fc.integer({ min: 1, max: 127 }), (at, byte) => {
      const changed = Buffer.from(usual);
      changed[at] = byte;
      compare(changed.toString("latin1"));
    }),
    { numRuns: 3_000 },
  );
});

test("finds every number that is not finite, at any offset of a view", () => {
  const bits = fc.integer({ min: 0, max: 0xffff_ffff });
  const lists = fc.array(fc.oneof(bits, fc.constantFrom(0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f7f_ffff)));
  fc.assert(
    fc.property(lists, fc.nat(3), (words, before) => {
      const memory = Uint32Array.from([...Array(before).fill(0x7f80_0000), ...words]);
      const vector = new Float32Array(memory.buffer, before * 4);
      expect(isFiniteVector(vector)).toBe(vector.every(Number.isFinite));
    }),
  );
});
