import { expect, test } from "vitest";
import { createLexicalModel } from "@/lib/providers/lexical/lexical-model";

function options(signal = new AbortController().signal) {
  return { signal, requestId: "r", firstByteBy: Number.POSITIVE_INFINITY };
}

const LONG = Array.from({ length: 6_000 }, (_, i) => `w${(i * 7919).toString(36)}ord`).join(" ");

test("returns the same vector for a text alone, in a batch, and when another call runs between its steps", async () => {
  const model = createLexicalModel();
  const texts = ["one", LONG, "Größe", "one", `${LONG} end`];
  const [batch, other] = await Promise.all([
    model.embed({ model: "m", texts }, options()),
    model.embed({ model: "m", texts: [LONG, "two"] }, options()),
  ]);
  for (const [i, text] of texts.entries()) {
    const alone = await model.embed({ model: "m", texts: [text] }, options());
    expect(batch.vectors[i]).toEqual(alone.vectors[0]);
  }
  expect(other.vectors[0]).toEqual(batch.vectors[1]);
});

test("lets other work run many times within a large batch", async () => {
  const model = createLexicalModel();
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await model.embed({ model: "m", texts: Array.from({ length: 40 }, () => LONG) }, options());
  isRunning = false;
  expect(turns).toBeGreaterThan(20);
});

test("stops a batch whose caller has left", async () => {
  const leaving = new AbortController();
  const work = createLexicalModel().embed(
    { model: "m", texts: Array.from({ length: 2_000 }, () => LONG) },
    options(leaving.signal),
  );
  setImmediate(() => leaving.abort());
  await expect(work).rejects.toMatchObject({ code: "caller_left" });
});

test.each([0, 1_025, 1.5])("refuses %s dimensions", async (dimensions) => {
  const work = createLexicalModel().embed({ model: "m", texts: ["a"], dimensions }, options());
  await expect(work).rejects.toMatchObject({ code: "invalid" });
});
