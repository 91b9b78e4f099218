import { parentPort } from "node:worker_threads";
import { isOutOfFiles } from "../../errors";
import { openAacOrFlac } from "./aac-flac";
import { openMp3 } from "./mp3";
import { openOpus } from "./opus";
import {
  type EncodedFormat,
  type EncodeReply,
  type EncodeRequest,
  type EncoderSession,
  SAMPLE_RATE,
} from "./session";

const NOTHING = new Uint8Array(0);
/**
 * Encoders of all running replies, by ID. They run in a worker, so that they do not block the event loop that serves
 * requests.
 */
const sessions = new Map<number, Promise<EncoderSession>>();

function open(format: EncodedFormat): Promise<EncoderSession> {
  switch (format) {
    case "mp3":
      return openMp3(SAMPLE_RATE);
    case "opus":
      return openOpus(SAMPLE_RATE);
    case "aac":
    case "flac":
      return openAacOrFlac(format, SAMPLE_RATE);
  }
}

async function session(id: number): Promise<EncoderSession> {
  const found = sessions.get(id);
  if (!found) throw new Error("this encoder is closed");
  return found;
}

async function answer(request: EncodeRequest): Promise<Uint8Array | null> {
  switch (request.type) {
    case "open": {
      const opening = open(request.format);
      sessions.set(request.id, opening);
      await opening;
      return NOTHING;
    }
    case "push":
      return (await session(request.id)).push(request.samples);
    case "finish":
      return (await session(request.id)).finish();
    case "close": {
      const closing = sessions.get(request.id);
      sessions.delete(request.id);
      await (await closing)?.close();
      return null;
    }
  }
}

parentPort?.on("message", (request: EncodeRequest) => {
  answer(request).then(
    (bytes) => {
      if (bytes) parentPort?.postMessage({ id: request.id, bytes } satisfies EncodeReply);
    },
    (error: unknown) => {
      if (request.type === "close") return;
      const reply = { id: request.id, error: String(error), isOutOfFiles: isOutOfFiles(error) };
      parentPort?.postMessage(reply satisfies EncodeReply);
    },
  );
});
