import { AppError, type ErrorCode, type ErrorDetails, isAppError } from "../../errors";
import type { EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { SpeechRequest, SpeechUsage } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";

/**
 * The protocol between the processes of one server and its engine host: one HTTP request per call over a Unix socket,
 * and a reply of frames. HTTP gives back-pressure and cancellation.
 */
export interface EngineCall {
  channel: ChannelRecord;
  task: { kind: "speech"; request: SpeechRequest } | { kind: "embeddings"; request: EmbeddingRequest };
  requestId: string;
  ownerId?: string;
  /** Time left for the first byte, in milliseconds. */
  firstByteInMs: number;
}

/** The last frame of a reply; one without it is incomplete. */
export type EngineEnd =
  | { kind: "spoken"; usage: SpeechUsage; finishReason: string }
  | { kind: "embedded"; result: Omit<EmbeddingResult, "vectors" | "base64"> }
  | { kind: "failed"; code: ErrorCode; message: string; details: ErrorDetails; cause: string | null };

/** `data`: PCM, or one vector as little-endian float32. */
export type EngineFrame = { kind: "data"; bytes: Uint8Array } | { kind: "end"; end: EngineEnd };

/** Kind (1 byte) and length of the content (4 bytes). */
const HEAD_BYTES = 5;
const DATA = 1;
const END = 2;

function framed(kind: number, content: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + content.byteLength);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(content.byteLength, 1);
  frame.set(content, HEAD_BYTES);
  return frame;
}

export const dataFrame = (bytes: Uint8Array): Buffer => framed(DATA, bytes);
export const endFrame = (end: EngineEnd): Buffer => framed(END, Buffer.from(JSON.stringify(end)));

export function failedEnd(error: unknown): EngineEnd {
  const known = isAppError(error) ? error : new AppError("internal", "The engine failed.", {}, error);
  const { code, message, details, cause } = known;
  // Only for the log of the calling process.
  const text = cause instanceof Error ? cause.message : cause === undefined ? null : String(cause);
  return { kind: "failed", code, message, details, cause: text };
}

/** Reads the frames of a reply; waits for the next chunk only when the caller asks for the next frame. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EngineFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32BE(1);
      if (rest.length < end) break;
      // A copy, so that samples and numbers are aligned.
      const content = new Uint8Array(rest.subarray(HEAD_BYTES, end));
      const kind = rest.readUInt8(0);
      rest = rest.subarray(end);
      if (kind === DATA) yield { kind: "data", bytes: content };
      // Written by `endFrame`.
      else yield { kind: "end", end: JSON.parse(Buffer.from(content).toString()) as EngineEnd };
    }
  }
}
