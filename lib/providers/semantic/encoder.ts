import { open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { io, loadGraphModel, setBackend, tensor1d, tensor2d } from "@energetic-ai/core";
import { DIMENSIONS } from "./protocol";

/**
 * Padding, in tokens, from which another run of the graph costs less (measured: a run costs as much as some 40 tokens,
 * and all sequences of a run are padded to the longest).
 */
const PADDING_OF_A_RUN = 40;

const READ_BYTES = 65_536;

type Sequence = readonly number[];

interface ModelFile {
  modelTopology: object;
  weightsManifest: readonly { paths: readonly string[]; weights: readonly object[] }[];
}

/**
 * A buffer in memory pages of its own, which return to the system when it is freed, as do the copies that TensorFlow.js
 * slices from it. A buffer of fixed length is in the heap of the C library instead: once blocks of megabytes have been
 * freed there, glibc keeps up to 64 MB for later ones (the dynamic threshold of mallopt(3)), even after the thread has
 * ended.
 */
class PagedBuffer extends ArrayBuffer {
  constructor(length: number) {
    // A buffer that can be resized is allocated in pages.
    super(length, { maxByteLength: length });
  }
}

/** Reads a whole file into `target` from `at` on, through a small buffer; returns the position after its last byte. */
async function readInto(file: string, target: Uint8Array, at: number): Promise<number> {
  const handle = await open(file);
  try {
    const piece = Buffer.alloc(READ_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return at;
      target.set(piece.subarray(0, bytesRead), at);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

async function readArtifacts(folder: string) {
  // The package's own file, so its type is known.
  const { modelTopology, weightsManifest } = JSON.parse(
    await readFile(path.join(folder, "model.json"), "utf8"),
  ) as ModelFile;
  const paths = weightsManifest.flatMap((group) => group.paths);
  const shards = paths.map((name) => path.join(folder, name));
  const sizes = await Promise.all(shards.map(async (shard) => (await stat(shard)).size));
  const weightData = new PagedBuffer(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const shard of shards) at = await readInto(shard, new Uint8Array(weightData), at);
  const weightSpecs = weightsManifest.flatMap((group) => group.weights);
  return { modelTopology, weightSpecs, weightData };
}

/** Groups positions of sequences into runs of similar length, so that little is padded. */
export function groupByLength(sequences: readonly Sequence[]): number[][] {
  const lengthOf = (position: number): number => sequences[position]?.length ?? 0;
  const byLength = [...sequences.keys()].sort((a, b) => lengthOf(a) - lengthOf(b));
  const groups: number[][] = [];
  let group: number[] = [];
  let tokens = 0;
  for (const position of byLength) {
    const length = lengthOf(position);
    if (group.length > 0 && length * group.length - tokens > PADDING_OF_A_RUN) {
      groups.push(group);
      group = [];
      tokens = 0;
    }
    group.push(position);
    tokens += length;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** Vectors of token sequences, one after the other. */
export type Encode = (sequences: readonly Sequence[]) => Promise<Float32Array>;

/**
 * Loads Universal Sentence Encoder Lite (Cer et al. 2018, arXiv:1803.11175) from the folder of model.json and its
 * weights. Blocks its thread while it encodes.
 */
export async function loadEncoder(folder: string): Promise<Encode> {
  if (!(await setBackend("wasm"))) throw new Error("TensorFlow.js could not start its WebAssembly backend.");
  const artifacts = await readArtifacts(folder);
  const model = await loadGraphModel(io.fromMemory(artifacts));
  // The model keeps the buffer, but reads only the copies in its WebAssembly memory.
  artifacts.weightData.resize(0);

  async function run(sequences: readonly Sequence[]): Promise<Float32Array> {
    const ids = sequences.flat();
    const cells = sequences.flatMap((sequence, row) => sequence.flatMap((_, column) => [row, column]));
    const indices = tensor2d(Int32Array.from(cells), [ids.length, 2], "int32");
    const values = tensor1d(Int32Array.from(ids), "int32");
    try {
      const output = await model.executeAsync({ indices, values });
      try {
        return await output.data();
      } finally {
        output.dispose();
      }
    } finally {
      indices.dispose();
      values.dispose();
    }
  }

  return async (sequences) => {
    const vectors = new Float32Array(sequences.length * DIMENSIONS);
    for (const group of groupByLength(sequences)) {
      const made = await run(group.map((position) => sequences[position] ?? []));
      for (const [row, position] of group.entries()) {
        vectors.set(made.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS), position * DIMENSIONS);
      }
    }
    return vectors;
  };
}
