import { parentPort } from "node:worker_threads";
import { isAppError, isOutOfFiles, outOfFiles } from "../../errors";
import type { SpeakMessage, SpokenMessage } from "./protocol";
import { speakChunk } from "./speak-chunk";

/** Speaks chunks as they arrive; the pool sends one at a time. */
async function answer({ id, chunk }: SpeakMessage): Promise<void> {
  try {
    const pcm = await speakChunk(chunk);
    // The bytes are transferred to the main thread, not copied.
    parentPort?.postMessage({ id, pcm } satisfies SpokenMessage, [pcm.buffer as ArrayBuffer]); // never shared memory: encodePcm16 allocated it
  } catch (error) {
    if (isOutOfFiles(error)) {
      const { code, message } = outOfFiles();
      parentPort?.postMessage({ id, error: { code, message, cause: String(error) } } satisfies SpokenMessage);
      // Node caches the failure of a module that it could not read: only a new thread can load the engine.
      process.exit();
    }
    const reported = isAppError(error)
      ? { code: error.code, message: error.message, cause: String(error.cause ?? "") }
      : {
          code: "upstream_error" as const,
          message: "The embedded speech engine failed on this text.",
          cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
        };
    parentPort?.postMessage({ id, error: reported } satisfies SpokenMessage);
  }
}

parentPort?.on("message", (message: SpeakMessage) => void answer(message));
