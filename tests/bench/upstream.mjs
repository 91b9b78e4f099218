/** The upstream of the gateway bench: raw sockets and prebuilt replies, so that it never limits what is measured. */
import net from "node:net";
import { pathToFileURL } from "node:url";

const NUMBERS = 1_536;
const PCM_BYTES = 200_000;
const GEMINI_PCM_BYTES = 225_000;
const STREAM_CHUNK_BYTES = 8_192;
const PCM_BYTES_PER_SECOND = 48_000;
/** A speech request with this voice gets its reply at the rate at which it is spoken. */
export const PACED_VOICE = "paced";

/** The vector of every embeddings reply. */
export const VECTOR = Float32Array.from({ length: NUMBERS }, (_, i) => Math.sin(i) / 28);
export const VECTOR_BASE64 = Buffer.from(VECTOR.buffer).toString("base64");

function tone(bytes) {
  return Buffer.from(
    Int16Array.from({ length: bytes / 2 }, (_, i) => 8_000 * Math.sin(i / 9) + 900 * Math.sin(i * i)).buffer,
  );
}

/** The audio of every speech reply: signed 16-bit samples. */
export const PCM = tone(PCM_BYTES);
export const GEMINI_PCM_BASE64 = tone(GEMINI_PCM_BYTES).toString("base64");

function whole(type, body) {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function streamed(type, body) {
  const parts = [
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`),
  ];
  for (let at = 0; at < body.length; at += STREAM_CHUNK_BYTES) {
    const chunk = body.subarray(at, at + STREAM_CHUNK_BYTES);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function embeddings(embedding, count = 1) {
  return whole(
    "application/json",
    JSON.stringify({
      object: "list",
      data: Array.from({ length: count }, (_, index) => ({ object: "embedding", index, embedding })),
      model: "upstream-embed",
      usage: { prompt_tokens: 9, total_tokens: 9 },
    }),
  );
}

function listen() {
  const audio = { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: GEMINI_PCM_BASE64 } };
  const message = JSON.stringify({
    candidates: [{ content: { parts: [audio], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 117, totalTokenCount: 126 },
    modelVersion: "upstream-gemini",
  });
  const replies = {
    base64: embeddings(VECTOR_BASE64),
    float: embeddings([...VECTOR]),
    speech: streamed("audio/pcm", PCM),
    gemini: whole("application/json", message),
    geminiEvents: streamed("text/event-stream", Buffer.from(`data: ${message}\n\n`)),
  };

  function replyTo(head, body) {
    const path = head.slice(0, head.indexOf("\r\n"));
    if (path.includes("/audio/speech")) return replies.speech;
    if (path.includes(":streamGenerateContent")) return replies.geminiEvents;
    if (path.includes(":generateContent")) return replies.gemini;
    const format = body.includes('"encoding_format":"base64"') ? "base64" : "float";
    if (!body.includes('"input":[')) return replies[format];
    const count = JSON.parse(body).input.length;
    replies[`${format} ${count}`] ??= embeddings(format === "base64" ? VECTOR_BASE64 : [...VECTOR], count);
    return replies[`${format} ${count}`];
  }

  /** Writes the PCM reply as fast as it is spoken: 24,000 samples of two bytes a second. */
  function writeAtSpeakingRate(socket) {
    let at = 0;
    const timer = setInterval(
      () => {
        const end = Math.min(replies.speech.length, at + STREAM_CHUNK_BYTES);
        socket.write(replies.speech.subarray(at, end));
        at = end;
        if (at === replies.speech.length || socket.destroyed) clearInterval(timer);
      },
      (1_000 * STREAM_CHUNK_BYTES) / PCM_BYTES_PER_SECOND,
    );
  }

  const server = net.createServer((socket) => {
    let received = "";
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      received += data.latin1Slice();
      for (;;) {
        const headEnd = received.indexOf("\r\n\r\n");
        if (headEnd === -1) return;
        const head = received.slice(0, headEnd);
        const end = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        if (received.length < end) return;
        const body = received.slice(headEnd + 4, end);
        if (body.includes(PACED_VOICE)) writeAtSpeakingRate(socket);
        else socket.write(replyTo(head, body));
        received = received.slice(end);
      }
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) listen();
