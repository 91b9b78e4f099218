import fc from "fast-check";
import { expect, test } from "vitest";
import { vectorJsonBytes, vectorToJson } from "../../../lib/http/gateway/float-text";

/** The reference implementation. */
function joined(vector: Float32Array): Float32Array {
  return Float32Array.from(JSON.parse(`[${vector.join(",")}]`));
}

function printed(vector: Float32Array): Float32Array {
  return Float32Array.from(JSON.parse(vectorToJson(vector)));
}

const anyFloat = fc.float({ noNaN: true, noDefaultInfinity: true });
const usualFloat = fc.float({ noNaN: true, min: -1, max: 1 });

test("prints the same 32-bit floats as Array.join", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyFloat, usualFloat)), (numbers) => {
      const vector = Float32Array.from(numbers);
      expect(printed(vector)).toEqual(joined(vector));
    }),
    { numRuns: 2_000 },
  );
});

test("prints floats of every magnitude and the neighbours of powers of ten exactly", () => {
  const bits = new Uint32Array(200_000);
  const floats = new Float32Array(bits.buffer);
  for (let at = 0; at < bits.length; at++)
    bits[at] = ((100 + (at % 29)) << 23) | ((at * 2_654_435_761) >>> 9);
  for (let power = 0; power < 8; power++) {
    floats[power * 3] = 10 ** -power;
    bits[power * 3 + 1] = (bits[power * 3] ?? 0) - 1;
    bits[power * 3 + 2] = (bits[power * 3] ?? 0) + 1;
  }
  expect(Buffer.from(printed(floats).buffer).equals(Buffer.from(floats.buffer))).toBe(true);
});

test("prints no more digits than needed", () => {
  const vector = Float32Array.of(0, -0.5, 0.01, 0.1, 1, -0.0069292835, 1e-7, 3e38);
  expect(vectorToJson(vector)).toBe(
    `[0,-0.5,0.01,0.1,1,-0.0069292835,${Math.fround(1e-7)},${Math.fround(3e38)}]`,
  );
  expect(vectorToJson(new Float32Array(0))).toBe("[]");
});

test("writes the same text as bytes, also for vectors of growing length", () => {
  for (const length of [3, 5_000, 20_000]) {
    const vector = Float32Array.from({ length }, (_, at) => Math.sin(at) / 28);
    expect(Buffer.from(vectorJsonBytes(vector)).toString()).toBe(vectorToJson(vector));
    expect(Float32Array.from(JSON.parse(vectorToJson(vector)))).toEqual(vector);
  }
  const longer = Float32Array.from({ length: 50_000 }, (_, at) => Math.cos(at) / 28);
  expect(vectorToJson(longer).length).toBeGreaterThan(100_000);
});
