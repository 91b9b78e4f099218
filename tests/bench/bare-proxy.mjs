/** The baseline: a bare Node proxy (http + undici pool) in front of a mock upstream, each in its own process. */
import http from "node:http";
import { Pool } from "undici";

const role = process.argv[2];

if (role === "upstream") {
  const vector = Buffer.from(Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i)).buffer).toString(
    "base64",
  );
  const reply = Buffer.from(
    JSON.stringify({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: vector }],
      model: "mock",
      usage: { prompt_tokens: 5, total_tokens: 5 },
    }),
  );
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": reply.length });
      response.end(reply);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
} else {
  const pool = new Pool(`http://127.0.0.1:${process.argv[3]}`, { connections: 64 });
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const upstream = await pool.request({
        path: request.url,
        method: request.method,
        headers: { "content-type": "application/json" },
        body: Buffer.concat(chunks),
      });
      const body = Buffer.from(await upstream.body.arrayBuffer());
      response.writeHead(upstream.statusCode, {
        "content-type": "application/json",
        "content-length": body.length,
      });
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
}
