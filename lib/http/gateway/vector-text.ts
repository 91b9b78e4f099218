import { endianness } from "node:os";

const IS_LITTLE_ENDIAN = endianness() === "LE";

/** Base64 (padded) of the vector's little-endian 32-bit floats, as the official clients read it. */
export function vectorToBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32()).toString("base64");
}
