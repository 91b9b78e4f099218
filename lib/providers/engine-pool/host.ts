import { once } from "node:events";
import { utimes } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { HOUR_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CallOptions } from "../../ports/speech-model";
import type { ProvidersOfProcess } from "../registry";
import { dataFrame, type EngineCall, type EngineEnd, endFrame, failedEnd } from "./frames";

export interface EngineHost {
  close(): Promise<void>;
}

type Engines = Pick<ProvidersOfProcess, "speech" | "embedding">;

async function readCall(message: IncomingMessage): Promise<EngineCall> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  // Sent by a process of the same server (client.ts); the socket is in a folder that only this user can open.
  return JSON.parse(Buffer.concat(chunks).toString()) as EngineCall;
}

/** Runs the call and writes its data; returns the last frame's content. */
async function run(
  engines: Engines,
  call: EngineCall,
  options: CallOptions,
  write: (frame: Uint8Array) => Promise<void>,
): Promise<EngineEnd> {
  const { channel, task } = call;
  if (task.kind === "embeddings") {
    const { vectors, base64: _, ...result } = await engines.embedding(channel).embed(task.request, options);
    for (const { buffer, byteOffset, byteLength } of vectors)
      await write(dataFrame(new Uint8Array(buffer, byteOffset, byteLength)));
    return { kind: "embedded", result };
  }
  for await (const event of engines.speech(channel).synthesize(task.request, options)) {
    if (event.type === "end") return { kind: "spoken", usage: event.usage, finishReason: event.finishReason };
    if (event.type === "audio") await write(dataFrame(event.pcm));
  }
  throw new AppError("upstream_truncated", "The engine stopped before the end.");
}

async function answer(
  engines: Engines,
  clock: Clock,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const stopped = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) stopped.abort(new AppError("caller_left", "The client disconnected."));
  });
  const { signal } = stopped;
  let end: EngineEnd;
  try {
    const call = await readCall(message);
    const options = {
      signal,
      requestId: call.requestId,
      ownerId: call.ownerId,
      firstByteBy: clock.monotonic() + call.firstByteInMs,
    };
    response.writeHead(200);
    end = await run(engines, call, options, async (frame) => {
      signal.throwIfAborted();
      if (!response.write(frame)) await once(response, "drain", { signal });
    });
  } catch (error) {
    end = failedEnd(error);
  }
  if (!response.destroyed) response.end(endFrame(end));
}

/**
 * Serves the engines of one server to its processes at a Unix socket, so that each model is loaded once. A call is
 * aborted when its process cancels it or ends.
 */
export async function serveEngines(engines: Engines, clock: Clock, socket: string): Promise<EngineHost> {
  const server = createServer((message, response) => {
    answer(engines, clock, message, response).catch(() => response.destroy());
  });
  // Without timeouts idle connections stay open: a request on a connection that was just closed would fail.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 });
  // A connection could not be accepted for lack of file descriptors; the calling process gets its own error.
  server.on("error", () => undefined);
  server.listen(socket);
  await once(server, "listening");
  // systemd-tmpfiles removes files of /tmp that have not been used for days; an open connection does not count as use
  // of the socket's file.
  const keepUsed = setInterval(() => {
    const now = new Date();
    for (const file of [socket, path.dirname(socket)]) utimes(file, now, now).catch(() => undefined);
  }, HOUR_MS).unref();
  return {
    close: () =>
      new Promise((resolve) => {
        clearInterval(keepUsed);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
