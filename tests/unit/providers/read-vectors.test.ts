import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppError } from "../../../lib/errors";
import { isFiniteVector } from "../../../lib/ports/embedding-model";
import { readReply } from "../../../lib/providers/openai/embeddings";
import { asCount, asFields, asList, parseJson } from "../../../lib/providers/outbound/json";
import { inOrder, readVector } from "../../../lib/providers/upstream/embeddings";

interface Result {
  vectors: Float32Array[];
  inputTokens: number | null;
  base64?: Uint8Array;
}

function readInSteps(bytes: Uint8Array, expected: number): { result: Result; steps: number } {
  const reading = readReply(bytes, expected);
  for (let steps = 0; ; steps++) {
    const step = reading.next();
    if (step.done) return { result: step.value, steps };
  }
}

/** The reference: parses the whole reply, without cutting vectors out of its bytes. */
function readWhole(bytes: Uint8Array, expected: number): Result {
  const answer = asFields(parseJson(bytes));
  const items = asList(answer?.data).map((item) => {
    const fields = asFields(item);
    return { index: fields?.index, item: fields?.embedding };
  });
  const usage = asFields(answer?.usage);
  // Throws an error of which only the code is compared.
  if (items.length !== expected) readVector(undefined);
  const vectors = inOrder(items).map(readVector);
  return { vectors, inputTokens: asCount(usage?.prompt_tokens) ?? asCount(usage?.total_tokens) };
}

function outcome(read: () => Result): unknown {
  try {
    const { vectors, inputTokens } = read();
    return { vectors, inputTokens };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
}

/** Expects the result of a reply to be that of the whole parsed reply. */
function compare(reply: string | Uint8Array, expected = 1): void {
  const bytes = Buffer.from(reply);
  expect(outcome(() => readInSteps(bytes, expected).result)).toEqual(
    outcome(() => readWhole(bytes, expected)),
  );
}

const base64Of = (numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
const VECTOR = base64Of([0.5, -0.25, 1]);
const item = (embedding: string, more = ""): string =>
  `{"object":"embedding",${more}"embedding":${embedding}}`;
const reply = (...items: string[]): string =>
  `{"data":[${items.join(",")}],"model":"m","usage":{"prompt_tokens":3}}`;

test("reads a usual reply, and returns its base64 unchanged if that is the canonical form of its vector", () => {
  const read = (text: string) => readInSteps(Buffer.from(reply(item(`"${text}"`, '"index":0,'))), 1).result;
  const usual = read(VECTOR);
  expect(usual.vectors).toEqual([Float32Array.of(0.5, -0.25, 1)]);
  expect(usual.inputTokens).toBe(3);
  expect(Buffer.from(usual.base64 ?? []).toString()).toBe(VECTOR);
  const padded = read(base64Of([0.5]));
  expect([padded.vectors, padded.base64]).toEqual([[Float32Array.of(0.5)], undefined]);
  const ofUrls = base64Of([-1.7e38, -1.7e38, -1.7e38]).replaceAll("+", "-").replaceAll("/", "_");
  expect(ofUrls).toMatch(/[-_]/);
  expect(read(ofUrls).base64).toBeUndefined();
});

test("reads many vectors in a step or two for each, in the order of their indices", () => {
  const numbers = Array.from({ length: 50 }, (_, index) => [index, index / 2, -index]);
  const texts = numbers.map((vector, index) =>
    item(index % 2 === 0 ? `"${base64Of(vector)}"` : JSON.stringify(vector), `"index":${index},`),
  );
  const { result, steps } = readInSteps(Buffer.from(reply(...texts.toReversed())), 50);
  expect(result.vectors).toEqual(numbers.map((vector) => Float32Array.from(vector)));
  expect(result.base64).toBeUndefined();
  expect(steps).toBe(100);
});

const CASES: readonly [string, number][] = [
  [reply(item(`"${VECTOR}"`), item(`"${VECTOR}"`)), 2],
  [reply(item(`"${VECTOR}"`, '"index":1,'), item("[1,2,3]", '"index":0,')), 2],
  [reply(item(`"${VECTOR}"`, '"index":0,'), item("[1,2,3]", '"index":0,')), 2],
  [reply(item(`"${VECTOR}"`)), 2],
  [reply(item(`"${VECTOR}"`, '"index":1,')), 1],
  [reply(item(`"${VECTOR}"`, '"embedding":[1],')), 1],
  [reply(item("[0.5]", `"embedding":"${VECTOR}",`)), 1],
  [reply(item(`"${VECTOR}"`, '"note":"\\"embedding\\":\\"AAAA\\"",')), 1],
  [reply(item(`"${VECTOR}"`, '"x\\"embedding":"AAAA",')), 1],
  [reply(item("[1]", '"x\\"embedding":[2],')), 1],
  [reply(item(`"${VECTOR.replaceAll("A", "\\u0041")}"`)), 1],
  [reply(item('"AAAA\\/AAA"')), 1],
  [reply(item('""')), 1],
  [reply(item('"AAAA"')), 1],
  [reply(item('"AAAAAAA*"')), 1],
  [reply(item('"AADAfwAA"')), 1],
  [reply(item('"\\u0000 vector"')), 1],
  [reply(item("[]")), 1],
  [reply(item("[ 1 , 2e-3,-0.5 ]")), 1],
  [reply(item("[1,2")), 1],
  [reply(item("[1,,2]")), 1],
  [reply(item("[1,null]")), 1],
  [reply(item('[1,"]",2]')), 1],
  [reply(item("[[1,2],[3]]")), 1],
  [reply(item('[{"a":[1]}]')), 1],
  [reply(item("[1e999]")), 1],
  [reply(item("0")), 1],
  [reply(item("null")), 1],
  [reply(item(`"${VECTOR}"`), '{"embedding" : 0}'), 2],
  [reply('{"embedding" : 0}', '{"x":{"embedding":[7]}}'), 2],
  [reply(`{"embedding" : "${VECTOR}","x":{"embedding":[7]}}`), 1],
  [reply(item(`"${VECTOR}"`)).replace('"m"', '"modèle"'), 1],
  [`\ufeff${reply(item("[1]"))}`, 1],
  [reply(item(`"${VECTOR}"`)).slice(0, -9), 1],
  [reply(`{"embedding":"${VECTOR}`), 1],
  [`{"embedding":"${VECTOR}"}`, 1],
  ['{"data":[{"embedding" : "AAAA"}]}', 1],
  ["", 1],
  ["[]", 1],
];

test.each(CASES)("returns the result of the whole parsed reply: %s", (text, expected) => {
  compare(text, expected);
});

test.each([
  ["base64", reply(item(`"${VECTOR}"`, '"index":0,'), item(`"${VECTOR}"`, '"index":1,'))],
  ["numbers", reply(item("[0.5,1]", '"index":0,'), item("[-2,3e-1]", '"index":1,'))],
])("returns the result of the whole parsed reply for any change of a byte: %s", (_, text) => {
  const usual = Buffer.from(text);
  fc.assert(
    fc.property(fc.nat(usual.length - 1), fc.integer({ min: 1, max: 255 }), (at, byte) => {
      const changed = Buffer.from(usual);
      changed[at] = byte;
      compare(changed, 2);
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
