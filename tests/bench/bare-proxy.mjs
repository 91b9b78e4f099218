/** The baseline: a bare Node proxy (http and an undici pool) without keys, checks or ledger. */
import http from "node:http";
import { Pool } from "undici";

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`);

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
    const { "content-type": type, "content-length": length } = upstream.headers;
    if (length === undefined) {
      response.writeHead(upstream.statusCode, { "content-type": type });
      upstream.body.pipe(response);
      return;
    }
    response.writeHead(upstream.statusCode, { "content-type": type, "content-length": length });
    response.end(Buffer.from(await upstream.body.arrayBuffer()));
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
