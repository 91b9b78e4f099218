import { open } from "node:fs/promises";

/** A file of a model folder that cannot be used. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
  /** Relative to the model folder. */
  readonly file: string;

  constructor(file: string, reason: string) {
    super(reason);
    this.file = file;
  }
}

/** Field numbers of ModelProto and StringStringEntryProto (onnx.proto3). */
const METADATA_PROPS = 14;
const KEY = 1;
const VALUE = 2;

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
/** Most bytes that a tag and a length take together. */
const MAX_HEADER_BYTES = 20;
const MAX_METADATA_BYTES = 1024 * 1024;

/** Reads a varint (protobuf encoding) at `at`; null when it is longer than 8 bytes or cut off. */
function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } | null {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  return null;
}

/** The header of the field at `at`, and where its content starts and ends; null when it is not protobuf. */
function readField(bytes: Uint8Array, at: number): { id: number; start: number; end: number } | null {
  const tag = readVarint(bytes, at);
  if (tag === null) return null;
  const id = Math.floor(tag.value / 8);
  switch (tag.value % 8) {
    case VARINT: {
      const value = readVarint(bytes, tag.next);
      return value === null ? null : { id, start: tag.next, end: value.next };
    }
    case FIXED_64:
      return { id, start: tag.next, end: tag.next + 8 };
    case FIXED_32:
      return { id, start: tag.next, end: tag.next + 4 };
    case BYTES: {
      const length = readVarint(bytes, tag.next);
      return length === null ? null : { id, start: length.next, end: length.next + length.value };
    }
    default:
      return null;
  }
}

function readEntry(bytes: Uint8Array): [key: string, value: string] {
  let key = "";
  let value = "";
  for (let at = 0; at < bytes.length; ) {
    const field = readField(bytes, at);
    if (field === null) break;
    const text = Buffer.from(bytes.subarray(field.start, field.end)).toString("utf8");
    if (field.id === KEY) key = text;
    if (field.id === VALUE) value = text;
    at = field.end;
  }
  return [key, value];
}

/**
 * The metadata properties of an ONNX file, read without its graph: the fields before are skipped by their lengths.
 * `name` is for messages. Throws UnusableFile when the file is not ONNX or ends early.
 */
export async function readOnnxMetadata(path: string, name: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const entries = new Map<string, string>();
    if (size === 0) throw new UnusableFile(name, "The file is empty.");
    let read = 0;
    for (let at = 0; at < size; ) {
      const header = Buffer.alloc(Math.min(MAX_HEADER_BYTES, size - at));
      await file.read(header, 0, header.length, at);
      const field = readField(header, 0);
      if (field === null || field.id === 0) throw new UnusableFile(name, "This is not an ONNX model.");
      const end = at + field.end;
      if (end > size) throw new UnusableFile(name, "The file is cut short: copy or download it again.");
      if (field.id === METADATA_PROPS) {
        const length = field.end - field.start;
        read += length;
        if (read > MAX_METADATA_BYTES) throw new UnusableFile(name, "Its metadata is larger than 1 MiB.");
        const bytes = Buffer.alloc(length);
        await file.read(bytes, 0, length, at + field.start);
        entries.set(...readEntry(bytes));
      }
      at = end;
    }
    return entries;
  } finally {
    await file.close();
  }
}
