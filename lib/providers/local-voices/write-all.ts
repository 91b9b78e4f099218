import type { FileHandle } from "node:fs/promises";

/** Writes all bytes at `position`: one write may take fewer, as on a disk that is nearly full. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
