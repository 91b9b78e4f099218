import { MessageChannel } from "node:worker_threads";

const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Gives memory back at once; `bytes` is empty afterwards. The collector looks at buffers that nobody holds only when
 * they have become 64 MiB: more than all that hundreds of slow readers are kept for. A buffer that is moved to a
 * closed port goes with its message, which nobody can receive (HTML Standard §9.4.4, message port post message steps).
 */
export function freeBytes(bytes: Uint8Array): void {
  // Pooled memory has other owners; a chunk of sound is far larger than the pool's pieces.
  if (bytes.byteLength !== bytes.buffer.byteLength) return;
  nowhere.postMessage(null, [bytes.buffer as ArrayBuffer]); // never shared memory: encodePcm16 and slice make it
}
