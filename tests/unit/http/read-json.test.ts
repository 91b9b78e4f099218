import { describe, expect, test } from "vitest";
import { JSON_LIMITS, readJsonInSteps, readJsonObject } from "../../../lib/http/core/read-json";
import { costOf } from "../../support/steps";

const read = (text: string, limits = JSON_LIMITS) => readJsonObject(Buffer.from(text), limits);
const LISTS = { ...JSON_LIMITS, maxArrayItems: 300_000, maxValues: 400_000 };

describe("a JSON body", () => {
  test("may have exactly as many values as the limit, at any depth", () => {
    const limits = { ...JSON_LIMITS, maxValues: 8 };
    // The object, three lists, and the value after each comma.
    expect(read('{"a":[[1,2],[3,4]],"b":1}', limits)).toEqual({
      a: [
        [1, 2],
        [3, 4],
      ],
      b: 1,
    });
    expect(() => read('{"a":[[1,2],[3,4]],"b":[]}', limits)).toThrow(/more than 8 values/);
  });

  test("may have lists of exactly as many elements as the limit; objects do not count", () => {
    const limits = { ...JSON_LIMITS, maxArrayItems: 3 };
    expect(read('{"a":[[1,2,3],{},[1,2,3]],"b":1,"c":2,"d":3}', limits)).toMatchObject({ d: 3 });
    expect(() => read('{"a":[[1,2,3,4]]}', limits)).toThrow(/a list of more than 3 elements/);
    expect(() => read('{"a":[[1,2],{},[1],[2]]}', limits)).toThrow(/a list of more than 3 elements/);
  });

  test("may have exactly as many levels and keys as the limits", () => {
    const limits = { ...JSON_LIMITS, maxDepth: 3, maxKeys: 3 };
    expect(read('{"a":[[1]],"b":{"c":{}}}', limits)).toEqual({ a: [[1]], b: { c: {} } });
    expect(() => read('{"a":[[[1]]]}', limits)).toThrow(/nested deeper than 3 levels/);
    expect(() => read('{"a":{"b":{"c":{}}}}', limits)).toThrow(/nested deeper than 3 levels/);
    expect(() => read('{"a":[{"b":1},{"b":1,"c":1}]}', limits)).toThrow(/more than 3 keys/);
  });

  test("may be the longest list of embedding requests or contents that is accepted", () => {
    const part = { parts: [{ text: "a" }], role: "user" };
    const request = {
      model: "models/m",
      content: part,
      taskType: "RETRIEVAL_QUERY",
      outputDimensionality: 8,
    };
    const bodies = [{ requests: Array(2_048).fill(request) }, { contents: Array(10_000).fill(part) }];
    for (const body of bodies) expect(read(JSON.stringify(body))).toEqual(body);
  });

  test.each([
    ['{"a":1,"b":{"a":2},"a":3}', "a"],
    ['{"x":[{"k\\"1" : "k","k\\"2":0,"k\\"1"\t:1}]}', 'k"1'],
    ['{"v":"v","list":[{"v":1},{"v":1,"\\u0076":2}]}', "v"],
  ])("%s is refused with the name of the key that it has twice", (text, key) => {
    expect(() => read(text)).toThrow(`The body has the key '${key}' twice in one object.`);
  });

  test("is read in steps with the same result, wherever it pauses", () => {
    // Each pause is within a string, a number or a list, and what follows it counts for the limits.
    const items = Array.from({ length: 20_000 }, (_, index) => [`]}" \\u ${index}`, index * 1_000_003]);
    for (let before = 0; before < 8; before++) {
      const text = JSON.stringify({ before: "x".repeat(before), items });
      const steps = readJsonInSteps(Buffer.from(text), LISTS);
      let count = 0;
      let step = steps.next();
      for (; !step.done; step = steps.next()) count += 1;
      expect(count).toBeGreaterThan(text.length / (256 * 1024));
      expect(step.value).toEqual(JSON.parse(text));
      const exact = { ...LISTS, maxValues: 2 + 20_000 * 3 };
      expect(() => read(text, exact)).not.toThrow();
      expect(() => read(text, { ...exact, maxValues: exact.maxValues - 1 })).toThrow(/values/);
    }
  });

  test("of 4 MiB with a duplicate key is refused in less than 100 ms", () => {
    const text = `{"a":"${'\\"x'.repeat(1_300_000)}","b":1,"b":2}`;
    expect(costOf(() => expect(() => read(text)).toThrow(/key 'b' twice/), { runs: 3 })).toBeLessThan(100);
  });

  test("is refused in less than 100 ms when it has millions of empty lists", () => {
    for (const unit of ["[],", "{},", "[[]],"]) {
      const list = `[${unit.repeat(60_000).slice(0, -1)}]`;
      const count = Math.floor((16 * 1_024 * 1_024) / list.length);
      const text = `{"input":[${Array.from({ length: count }, () => list).join(",")}]}`;
      const cost = costOf(() => expect(() => read(text, LISTS)).toThrow(/more than 400000 values/), {
        runs: 3,
      });
      expect(cost).toBeLessThan(100);
    }
  });
});
