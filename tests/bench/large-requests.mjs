/**
 * Sends embeddings requests of 2,048 texts, some 270,000 tokens in all, one after another until it is stopped. Runs as
 * a separate process, because its work would delay the load that is measured.
 */
import { setPriority } from "node:os";

const TEXTS = 2_048;
const WORDS_PER_TEXT = 120;
const LOW_PRIORITY = 19;
const WORDS = "the quick brown fox jumps over a lazy dog while seven green kettles hum in winter light".split(
  " ",
);

const [url, key, model, format] = process.argv.slice(2);
const text = Array.from({ length: WORDS_PER_TEXT }, (_, at) => WORDS[at % WORDS.length]).join(" ");
setPriority(LOW_PRIORITY);
for (let count = 0; ; count++) {
  const input = Array.from({ length: TEXTS }, (_, at) => `${count} ${at} ${text}`);
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input, encoding_format: format }),
  });
  const bytes = await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`${reply.status} ${Buffer.from(bytes).subarray(0, 300)}`);
  process.send?.(count + 1);
}
