import { MessageChannel } from "node:worker_threads";

const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees the memory at once; `bytes` is empty afterwards. V8 collects unused buffers only when they reach 64 MiB, more
 * than the limit for hundreds of slow readers. A buffer that is transferred to a closed port is freed with its message,
 * which cannot be received (HTML Standard §9.4.4, message port post message steps).
 */
export function freeBytes(bytes: Uint8Array): void {
  // A pooled buffer holds other data too; a chunk of sound is far larger than the pool's buffers.
  if (bytes.byteLength !== bytes.buffer.byteLength) return;
  nowhere.postMessage(null, [bytes.buffer as ArrayBuffer]); // never shared memory: encodePcm16 and slice allocate it
}
