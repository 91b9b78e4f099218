import { Agent, type IncomingMessage, request as send } from "node:http";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions, SpeechEvent } from "../../ports/speech-model";
import { stopReason } from "../../ports/stop-signal";
import type { ChannelRecord } from "../../ports/store";
import type { ProvidersOfProcess } from "../registry";
import { type EngineCall, type EngineEnd, type EngineFrame, readFrames } from "./frames";

/** Light enough to run in every process. */
const IN_PROCESS: ReadonlySet<string> = new Set(["lexical"]);

/** The error of a reply that ends with a failure, or without the expected last frame. */
function failureIn(end: EngineEnd | null): AppError {
  if (end?.kind === "failed") {
    const cause = end.cause === null ? undefined : new Error(end.cause);
    return new AppError(end.code, end.message, end.details, cause);
  }
  return new AppError("upstream_truncated", "The engine stopped before the end.");
}

interface Connection {
  socket: string;
  agent: Agent;
  clock: Clock;
}

type Task = Pick<EngineCall, "channel" | "task">;

/** The frames of one call. Leaving the loop early, or an aborted signal, ends the call at the host. */
async function* callHost(
  { socket, agent, clock }: Connection,
  task: Task,
  { signal, requestId, ownerId, firstByteBy }: CallOptions,
): AsyncGenerator<EngineFrame> {
  if (signal.aborted) throw stopReason(signal);
  const request = send({ socketPath: socket, agent, method: "POST", path: "/" });
  const stop = (): void => void request.destroy();
  signal.addEventListener("abort", stop, { once: true });
  let isComplete = false;
  try {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      request.on("error", reject);
      const call: EngineCall = {
        ...task,
        requestId,
        ownerId,
        firstByteInMs: firstByteBy - clock.monotonic(),
      };
      request.end(JSON.stringify(call));
    });
    for await (const frame of readFrames(reply)) {
      isComplete = frame.kind === "end";
      yield frame;
    }
  } catch (error) {
    if (signal.aborted) throw stopReason(signal);
    throw new AppError("upstream_error", "The built-in engines do not respond.", {}, error);
  } finally {
    signal.removeEventListener("abort", stop);
    // A complete reply leaves its connection for the next call.
    if (!isComplete) request.destroy();
  }
}

async function* speak(connection: Connection, task: Task, options: CallOptions): AsyncGenerator<SpeechEvent> {
  let end: EngineEnd | null = null;
  for await (const frame of callHost(connection, task, options)) {
    if (frame.kind === "data") yield { type: "audio", pcm: frame.bytes };
    else end = frame.end;
  }
  if (end?.kind !== "spoken") throw failureIn(end);
  yield { type: "end", usage: end.usage, finishReason: end.finishReason };
}

async function embed(connection: Connection, task: Task, options: CallOptions): Promise<EmbeddingResult> {
  const vectors: Float32Array[] = [];
  let end: EngineEnd | null = null;
  for await (const frame of callHost(connection, task, options)) {
    if (frame.kind === "data") vectors.push(new Float32Array(frame.bytes.buffer));
    else end = frame.end;
  }
  if (end?.kind !== "embedded") throw failureIn(end);
  return { ...end.result, vectors };
}

/**
 * The providers of a process whose built-in engines run in another one (host.ts), so that they are loaded once for all
 * processes. Upstream calls and the lists of voices stay in this process.
 */
export function withEngineHost(local: ProvidersOfProcess, socket: string, clock: Clock): ProvidersOfProcess {
  const connection = { socket, agent: new Agent({ keepAlive: true }), clock };
  const isHosted = ({ embedded, provider }: ChannelRecord) => embedded && !IN_PROCESS.has(provider);
  return {
    ...local,
    speech(channel) {
      const model = local.speech(channel);
      if (!isHosted(channel)) return model;
      return {
        ...model,
        synthesize(request, options) {
          // The caller's own body is for upstreams of its dialect.
          const { source: _, ...plain } = request;
          return speak(connection, { channel, task: { kind: "speech", request: plain } }, options);
        },
      };
    },
    embedding(channel) {
      const model = local.embedding(channel);
      if (!isHosted(channel)) return model;
      return {
        ...model,
        embed: (request, options) =>
          embed(connection, { channel, task: { kind: "embeddings", request } }, options),
      };
    },
    async close() {
      connection.agent.destroy();
      await local.close();
    },
  };
}
