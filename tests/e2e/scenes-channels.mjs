/** Walks through channels and models, with upstreams that work, reject their key or are disabled. */
import { createServer } from "node:http";

const KEY = "sk-scenes-0123456789abcdef";

import { OWNER } from "./scenes.mjs";

/** A fake OpenAI-compatible upstream: five models, one second of a tone, vectors. Rejects any key but KEY. */
function startUpstream() {
  const server = createServer(async (request, reply) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const json = (status, value) => {
      reply.writeHead(status, { "content-type": "application/json" });
      reply.end(JSON.stringify(value));
    };
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return json(401, { error: { message: "Incorrect API key provided.", code: "invalid_api_key" } });
    if (request.url.endsWith("/models")) {
      const names = ["kokoro", "kokoro-hd", "nomic-embed-text", "llama3", "mistral"];
      return json(200, { data: names.map((id) => ({ id })) });
    }
    if (request.url.endsWith("/voices")) return json(200, { voices: ["af_kore", "am_puck"] });
    if (request.url.endsWith("/audio/speech")) {
      const pcm = Buffer.alloc(48_000);
      for (let i = 0; i < pcm.length / 2; i += 1)
        pcm.writeInt16LE(Math.round(6_000 * Math.sin(i / 9)), i * 2);
      reply.writeHead(200, { "content-type": "audio/pcm" });
      return reply.end(pcm);
    }
    const { input } = JSON.parse(Buffer.concat(chunks).toString());
    const data = [input].flat().map((_, index) => ({ index, embedding: Array(768).fill(0.036) }));
    return json(200, { data, usage: { prompt_tokens: 4, total_tokens: 4 } });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve({ server, url: `http://127.0.0.1:${server.address().port}/v1` }),
    );
  });
}

async function call(page, path, body, method = body === undefined ? "GET" : "POST") {
  return page.evaluate(
    async ({ path, body, method }) => {
      const reply = await fetch(path, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await reply.json()).data;
    },
    { path, body, method },
  );
}

/** Creates two working channels, one with a rejected key and a disabled one, and sends requests. */
async function seedChannels(page, base_url) {
  const speech = { name: "kokoro", upstream_name: "kokoro", operation: "speech" };
  const embed = { name: "nomic-embed-text", upstream_name: "nomic-embed-text", operation: "embeddings" };
  const bge = { name: "bge-m3", upstream_name: "bge-m3", operation: "embeddings" };
  for (const channel of [
    { name: "Kokoro in the cellar", keys: [KEY], models: [speech, embed], priority: 0, weight: 3 },
    { name: "Kokoro upstairs", keys: [KEY], models: [speech], priority: 0 },
    { name: "Rented machine", keys: ["sk-old-key-that-ended"], models: [embed, bge], priority: 1 },
    { name: "Spare", keys: [KEY, "sk-second-0123456789"], models: [speech], priority: 2, enabled: false },
  ])
    await call(page, "/api/channels", { provider: "openai", base_url, ...channel });
  const { key } = await call(page, "/api/keys", { name: "Walker", operations: ["speech", "embeddings"] });
  await page.evaluate(async (key) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    for (let i = 0; i < 12; i += 1) {
      const input = `lamp ${i}`;
      const body = JSON.stringify({ model: "nomic-embed-text", input });
      await fetch("/v1/embeddings", { method: "POST", headers, body });
      const spoken = JSON.stringify({ model: "kokoro", input, voice: "alloy", response_format: "pcm" });
      if (i % 3 === 0)
        await (await fetch("/v1/audio/speech", { method: "POST", headers, body: spoken })).blob();
    }
    const rejected = JSON.stringify({ model: "bge-m3", input: "lamp" });
    await fetch("/v1/embeddings", { method: "POST", headers, body: rejected });
  }, key);
}

export async function walkChannels({ page, url, shot }) {
  const { server, url: base_url } = await startUpstream();
  try {
    await page.goto(`${url}/channels`);
    const known = await call(page, "/api/channels");
    const isFirst = known.items.every((channel) => channel.embedded);
    if (isFirst) await shot("channels-0-built-in");
    await page.goto(`${url}/channels/new`);
    await page.getByRole("button", { name: "OpenAI-compatible" }).click();
    await shot("channels-1-picked");
    await page.getByLabel("Base URL").fill(base_url);
    await page.getByLabel(/^Upstream key/).fill(KEY);
    await page.keyboard.press("Enter");
    const password = page.getByLabel("Your password");
    await password.waitFor();
    await shot("channels-2-private");
    await password.fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.getByText(/^Connected/).waitFor();
    await page.getByRole("button", { name: "Test kokoro", exact: true }).click();
    await page.getByText(/of audio in/).waitFor();
    await page.getByRole("button", { name: "Test nomic-embed-text" }).click();
    await page.getByText(/dimensions in/).waitFor();
    await shot("channels-3-tested");
    await page.getByLabel(/^Upstream key/).fill("sk-wrong");
    await page.keyboard.press("Enter");
    await page.getByText("Invalid upstream key.").waitFor();
    await page.getByText("Advanced", { exact: true }).click();
    await shot("channels-4-refused");

    await seedChannels(page, base_url);
    await page.goto(`${url}/channels`);
    await page.getByRole("link", { name: "Rented machine" }).waitFor();
    await shot("channels-5-list");
    const { items } = await call(page, "/api/channels");
    const idOf = (name) => items.find((channel) => channel.name === name).id;
    await page.goto(`${url}/channels/${idOf("Kokoro in the cellar")}?range=1h`);
    await page.getByRole("heading", { name: "Recent failures" }).waitFor();
    await shot("channels-6-detail");
    await page.goto(`${url}/channels/${idOf("Rented machine")}`);
    await page.getByText("The upstream rejected the key.").first().waitFor();
    await shot("channels-7-troubled");
    await page.goto(`${url}/channels/${idOf("Spare")}/edit`);
    await page.getByRole("button", { name: "Save changes" }).waitFor();
    await shot("channels-8-edit");
    await page.goto(`${url}/models`);
    await page.getByRole("button", { name: "nomic-embed-text", exact: true }).waitFor();
    await shot("models-1-list");
    await page.goto(`${url}/models?model=nomic-embed-text`);
    await page.getByText("Skipped").waitFor();
    await shot("models-2-route", { fullPage: false });
    await page.goto(`${url}/models?create=1`);
    await page.getByRole("dialog", { name: "Add a model" }).waitFor();
    await shot("models-3-create", { fullPage: false });
    for (const channel of items)
      if (!channel.embedded) await call(page, `/api/channels/${channel.id}`, undefined, "DELETE");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
