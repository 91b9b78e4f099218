import { parentPort, workerData } from "node:worker_threads";
import { systemCode } from "../../errors";
import { RefusedArchive, unpack } from "./unpack";

/** Sent by the thread: bytes written so far, the end, or the error. */
export type UnpackMessage =
  | { bytes: number }
  | { done: true }
  | { error: string; code: string; isRefused: boolean };

const PROGRESS_MS = 200;
let reportedAt = 0;

// Not checked, because only our own code starts this worker.
const { archive, directory }: { archive: string; directory: string } = workerData;
try {
  await unpack(archive, directory, undefined, (bytes) => {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    parentPort?.postMessage({ bytes } satisfies UnpackMessage);
  });
  parentPort?.postMessage({ done: true } satisfies UnpackMessage);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  parentPort?.postMessage({
    error: message,
    code: systemCode(error),
    isRefused: error instanceof RefusedArchive,
  } satisfies UnpackMessage);
}
