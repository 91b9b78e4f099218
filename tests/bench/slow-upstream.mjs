/** An OpenAI-compatible embeddings upstream that takes 20 ms per call of any size, with limited concurrency. */
import http from "node:http";

const CALL_MS = 20;
const DIMENSIONS = 256;
const most = Number(process.argv[2]);
const vector = Buffer.from(new Float32Array(DIMENSIONS).fill(1 / 16).buffer).toString("base64");

let running = 0;
let calls = 0;
let texts = 0;
const waiting = [];

function next() {
  while (running < most && waiting.length > 0) {
    const { input, reply } = waiting.shift();
    running++;
    setTimeout(() => {
      running--;
      const data = input.map((_, index) => ({ object: "embedding", index, embedding: vector }));
      const usage = { prompt_tokens: input.length * 8, total_tokens: input.length * 8 };
      reply.writeHead(200, { "content-type": "application/json" });
      reply.end(JSON.stringify({ object: "list", data, model: "slow", usage }));
      next();
    }, CALL_MS);
  }
}

const server = http.createServer(async (request, reply) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const sent = JSON.parse(Buffer.concat(chunks).toString());
  const input = Array.isArray(sent.input) ? sent.input : [sent.input];
  calls++;
  texts += input.length;
  waiting.push({ input, reply });
  next();
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("message", () => {
  process.send({ calls, texts });
  calls = 0;
  texts = 0;
});
