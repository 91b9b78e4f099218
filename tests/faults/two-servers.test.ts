import { afterAll, beforeAll, expect, test } from "vitest";
import { type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";

/** Two servers on one SQLite file: both work, and both log a warning. */

interface Line {
  msg?: string;
  instance?: string;
  reason?: string;
}

let first: Product;
let second: Product;
let cookie: string;
beforeAll(async () => {
  first = await startProduct({ nodeAdapterOnly: true });
  cookie = await setUp(first.url);
  second = await startProduct({ nodeAdapterOnly: true, dataDirectory: first.dataDirectory });
}, 60_000);
afterAll(async () => {
  await second?.close();
  await first?.close();
});

function warningsOf(product: Product): Line[] {
  return product
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.msg === "second_server");
}

async function until<T>(look: () => Promise<T | null> | T | null): Promise<T> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > giveUpAt) throw new Error("The condition did not hold within 60 s.");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

test("each server logs one warning that names the other's process", { timeout: 130_000 }, async () => {
  const [one, other] = await until(() => {
    const [mine, theirs] = [warningsOf(first), warningsOf(second)];
    return mine.length > 0 && theirs.length > 0 ? [mine, theirs] : null;
  });
  expect(one).toMatchObject([{ reason: expect.stringContaining(`process ${second.process.pid} of this`) }]);
  expect(other).toMatchObject([{ reason: expect.stringContaining(`process ${first.process.pid} of this`) }]);
});

test("the console of both servers shows one alert", { timeout: 130_000 }, async () => {
  for (const { url } of [first, second]) {
    const alert = await until(async () => {
      const reply = await sendRaw(url, {
        method: "GET",
        path: "/api/alerts?state=opened",
        headers: { cookie },
      });
      const { items } = (reply.json as { data: { items: { kind: string; message: string }[] } }).data;
      return items.length > 0 ? items : null;
    });
    expect(alert).toMatchObject([
      { kind: "second_server", message: expect.stringMatching(/^2 servers use the same SQLite file/) },
    ]);
  }
});
