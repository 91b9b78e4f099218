import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";

/** How often the server is killed; the soak run sets more. */
const KILLS = Number(process.env.PATCHBAY_TEST_KILLS ?? 50);
const CALLERS = 12;

/** Calls without end until the server dies; notes the id of each reply that came whole. */
async function callUntilDeath(
  product: Product,
  key: string,
  received: Set<string>,
  caller: number,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; ; i++) {
    const isSpeech = caller === 0;
    const body = JSON.stringify(
      isSpeech
        ? {
            contents: [{ parts: [{ text: `Sentence ${i}.` }] }],
            generationConfig: { responseModalities: ["AUDIO"] },
          }
        : { model: "patchbay-embed", input: `text ${caller} ${i}`, encoding_format: "base64" },
    );
    const id = await new Promise<string | null>((resolve) => {
      const request = http.request(
        `${product.url}${isSpeech ? "/v1beta/models/patchbay-speech:generateContent" : "/v1/embeddings"}`,
        {
          method: "POST",
          agent,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        },
        (reply) => {
          reply.resume();
          reply.on("error", () => resolve(null));
          reply.on("close", () => resolve(null));
          // `end` comes only for a body that is whole by its own framing.
          reply.on("end", () =>
            resolve(
              reply.complete && reply.statusCode === 200 ? String(reply.headers["x-request-id"]) : null,
            ),
          );
        },
      );
      request.on("error", () => resolve(null));
      request.end(body);
    });
    if (id === null) break;
    received.add(id);
  }
  agent.destroy();
}

interface UsageRow {
  request_id: string;
  state: string;
  status: number;
}

test(`of ${KILLS} servers killed under load, none loses the usage row of a reply that was received whole`, {
  timeout: KILLS * 6_000 + 60_000,
}, async () => {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-kill-"));
  const received = new Set<string>();
  let key = "";
  for (let round = 0; round < KILLS; round++) {
    const product = await startProduct({ dataDirectory, doorOnly: true });
    if (round === 0) key = await createKey(product.url, await setUp(product.url));
    const callers = Array.from({ length: CALLERS }, (_, caller) =>
      callUntilDeath(product, key, received, caller),
    );
    const isUnderLoad = () => received.size > round * 5;
    const lifeMs = 100 + Math.random() * 500;
    const killAt = performance.now() + lifeMs;
    while (performance.now() < killAt || !isUnderLoad())
      await new Promise((resolve) => setTimeout(resolve, 5));
    await product.kill();
    await Promise.all(callers);
  }
  // The server starts again by itself on what the last kill left.
  const survivor = await startProduct({ dataDirectory, doorOnly: true });
  expect(await survivor.close()).toBe(0);

  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  const rows = database.prepare("select request_id, state, status from usage").all() as UsageRow[];
  database.close();
  rmSync(dataDirectory, { recursive: true, force: true });

  const booked = new Map<string, number>();
  for (const row of rows) booked.set(row.request_id, (booked.get(row.request_id) ?? 0) + 1);
  const lost = [...received].filter((id) => !booked.has(id));
  const twice = [...booked].filter(([, times]) => times > 1);
  console.log(
    `${KILLS} kills, ${received.size} replies received whole, ${lost.length} without a row, ${twice.length} booked twice`,
  );
  expect(received.size).toBeGreaterThan(KILLS);
  expect(lost).toEqual([]);
  expect(twice).toEqual([]);
  // What was under way is settled by the next start, not left open for ever.
  expect(rows.filter((row) => row.state !== "settled")).toEqual([]);
});
