import { readFile } from "node:fs/promises";
import path from "node:path";
import { io, loadGraphModel, setBackend, tensor1d, tensor2d } from "@energetic-ai/core";
import { DIMENSIONS } from "./protocol";

/**
 * Padding that costs as much as another run of the graph, in tokens (measured: a run costs some 40 tokens, and all
 * sequences of a run are padded to the longest).
 */
const PADDING_OF_A_RUN = 40;

type Sequence = readonly number[];

interface ModelFile {
  modelTopology: object;
  weightsManifest: readonly { paths: readonly string[]; weights: readonly object[] }[];
}

async function readArtifacts(folder: string) {
  // The package's own file, so its type is known.
  const { modelTopology, weightsManifest } = JSON.parse(
    await readFile(path.join(folder, "model.json"), "utf8"),
  ) as ModelFile;
  const paths = weightsManifest.flatMap((group) => group.paths);
  const shards = await Promise.all(paths.map((name) => readFile(path.join(folder, name))));
  const weights = new Uint8Array(shards.reduce((sum, shard) => sum + shard.length, 0));
  let at = 0;
  for (const shard of shards) {
    weights.set(shard, at);
    at += shard.length;
  }
  const weightSpecs = weightsManifest.flatMap((group) => group.weights);
  return { modelTopology, weightSpecs, weightData: weights.buffer };
}

/** Positions of the sequences by run: similar lengths together, so that little is padded. */
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
 * Loads Universal Sentence Encoder Lite (Cer et al. 2018, arXiv:1803.11175) from the folder of model.json and its weights.
 * Blocks its thread while it encodes.
 */
export async function loadEncoder(folder: string): Promise<Encode> {
  if (!(await setBackend("wasm"))) throw new Error("TensorFlow.js could not start its WebAssembly backend.");
  const model = await loadGraphModel(io.fromMemory(await readArtifacts(folder)));

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
