import { beforeEach, describe, expect, test } from "vitest";
import type { ConsoleServices } from "../../../lib/console/context";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { type BodyMemory, createBodyMemory } from "../../../lib/gateway/admission/body-memory";

const services = {
  // The counts depend on the limits only.
  instance: {
    limits: { ...DEFAULT_LIMITS, keyBodiesBytes: 100, allBodiesBytes: 250 },
  } as ConsoleServices["instance"],
  metrics: { observeCall: () => undefined, countRejection: () => undefined, count: () => undefined },
};
let memory: BodyMemory;
beforeEach(() => {
  memory = createBodyMemory();
});

const caller = (key: string, owner: string) => ({ key: { id: key }, owner: { id: owner } });
function hold(key: string, bytes: number, owner = `owner of ${key}`) {
  const body = memory.track(services, caller(key, owner));
  body.take(bytes);
  return body;
}
const refusedWith = (code: string) =>
  expect.objectContaining({ code, details: expect.objectContaining({ retryAfterMs: 1_000 }) });

describe("the memory of request bodies", () => {
  test("refuses a key above its share with rate_limited, and no other key", () => {
    hold("a", 60);
    expect(() => hold("a", 41)).toThrow(refusedWith("rate_limited"));
    hold("a", 40);
    hold("b", 100);
    expect(memory.bytes).toBe(200);
  });

  test("refuses an owner's fourth key above half of all with rate_limited, and no other owner", () => {
    for (const key of ["a", "b", "c"]) hold(key, 40, "olivia");
    expect(() => hold("d", 6, "olivia")).toThrow(refusedWith("rate_limited"));
    hold("d", 5, "olivia");
    hold("e", 100, "oscar");
    expect(memory.bytes).toBe(225);
  });

  test("checks an announced body without counting it", () => {
    hold("a", 60);
    const announced = memory.track(services, caller("a", "owner of a"));
    expect(() => announced.check(41)).toThrow(refusedWith("rate_limited"));
    announced.check(40);
    expect(memory.bytes).toBe(60);
  });

  test("refuses every key above the share of all with overloaded", () => {
    for (const key of ["a", "b"]) hold(key, 100);
    expect(() => hold("c", 51)).toThrow(refusedWith("overloaded"));
    hold("c", 50);
    expect(memory.bytes).toBe(250);
  });

  test("counts chunks as they arrive, and nothing of a refused one", () => {
    hold("a", 50);
    const growing = memory.track(services, caller("a", "owner of a"));
    for (let i = 0; i < 5; i++) growing.take(10);
    expect(() => growing.take(1)).toThrow(refusedWith("rate_limited"));
    expect(memory.bytes).toBe(100);
    growing.release();
    expect(memory.bytes).toBe(50);
  });

  test("never refuses a body that is alone, however large", () => {
    const large = hold("a", 1_000);
    expect(() => hold("a", 1)).toThrow(refusedWith("rate_limited"));
    expect(() => hold("b", 1)).toThrow(refusedWith("overloaded"));
    large.release();
    hold("a", 1_000);
  });

  test("releases each body only once", () => {
    const body = hold("a", 60);
    hold("a", 40);
    body.release();
    body.release();
    expect(memory.bytes).toBe(40);
    hold("a", 60);
    expect(() => hold("a", 1)).toThrow(refusedWith("rate_limited"));
  });
});
