/** Dynamic batching on and off: 64 callers with one short text each, and an upstream that takes 20 ms per call. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { load, printRows } from "./load.mjs";
import { setUpWithCookie, startFor } from "./product.mjs";

const CALLERS = 64;
/** How many calls the upstream processes at once: few, as a small server does, and practically unlimited. */
const CONCURRENCIES = [4, 1_000];

async function startUpstream(concurrency) {
  const child = fork(new URL("./slow-upstream.mjs", import.meta.url), [String(concurrency)]);
  const [port] = await once(child, "message");
  const counts = async () => {
    child.send("counts");
    return (await once(child, "message"))[0];
  };
  return { port, counts, stop: () => child.kill() };
}

export async function benchBatching() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"], {
    env: { PATCHBAY_API_ONLY: "1", PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" },
  });
  const { cookie, key } = await setUpWithCookie(product.url);
  const ask = async (path, body) => {
    const reply = await fetch(`${product.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  for (const concurrency of CONCURRENCIES) {
    const upstream = await startUpstream(concurrency);
    const rows = [];
    const notes = [];
    for (const batching of [false, true]) {
      const name = `embed-${concurrency}-${batching ? "batched" : "single"}`;
      await ask("/api/models", { name, operation: "embeddings", cacheable: false, batching });
      await ask("/api/channels", {
        name,
        provider: "openai",
        base_url: `http://127.0.0.1:${upstream.port}/v1`,
        keys: ["sk-bench-0123456789"],
        models: [{ name, upstream_name: "slow" }],
      });
      const figures = await load(
        {
          url: `${product.url}/v1/embeddings`,
          pid: product.pid,
          headers: { authorization: `Bearer ${key}` },
          body: (i) => JSON.stringify({ model: name, input: `text number ${i}`, encoding_format: "base64" }),
        },
        { connections: CALLERS },
      );
      const { calls, texts } = await upstream.counts();
      rows.push([batching ? "batching on" : "batching off", figures]);
      notes.push(`${(texts / Math.max(1, calls)).toFixed(1)} texts per call`);
    }
    const [[, off], [, on]] = rows;
    printRows(`Upstream with 20 ms per call, ${concurrency} concurrent; ${CALLERS} callers`, rows);
    console.log(
      `throughput × ${(on.perSecond / off.perSecond).toFixed(1)}, p50 ${(on.p50 - off.p50).toFixed(1)} ms (${notes.join(" against ")})`,
    );
    upstream.stop();
  }
  await product.stop();
}
