import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * A model folder with an ONNX model of a kilobyte that sherpa-onnx speaks: VITS's inputs, and a tone of 75 ms for every
 * letter as the output. Speaker n has n + 1 times 150 Hz. Written byte by byte, in protobuf's encoding (onnx.proto3).
 */

type Bytes = Uint8Array;

function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}

const number = (id: number, value: number) => Buffer.concat([varint(id * 8), varint(value)]);

function bytes(id: number, content: string | Bytes): Bytes {
  const body = Buffer.from(content);
  return Buffer.concat([varint(id * 8 + 2), varint(body.length), body]);
}

const FLOAT = 1;
const INT64 = 7;

function floats(name: string, values: readonly number[], dims: readonly number[]): Bytes {
  const raw = new Uint8Array(Float32Array.from(values).buffer);
  return bytes(
    5,
    Buffer.concat([...dims.map((dim) => number(1, dim)), number(2, FLOAT), bytes(8, name), bytes(9, raw)]),
  );
}

function integers(name: string, values: readonly number[]): Bytes {
  const raw = new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);
  return bytes(5, Buffer.concat([number(1, values.length), number(2, INT64), bytes(8, name), bytes(9, raw)]));
}

function node(type: string, inputs: readonly string[], output: string, castTo?: number): Bytes {
  const cast = [bytes(1, "to"), number(3, castTo ?? 0), number(20, 2)];
  const attribute = castTo === undefined ? [] : [bytes(5, Buffer.concat(cast))];
  const content = [...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, type), ...attribute];
  return bytes(1, Buffer.concat(content));
}

function value(id: number, name: string, type: number, dims: readonly (number | string)[]): Bytes {
  const shape = Buffer.concat(
    dims.map((dim) => bytes(1, typeof dim === "number" ? number(1, dim) : bytes(2, dim))),
  );
  const tensor = Buffer.concat([number(1, type), bytes(2, shape)]);
  return bytes(id, Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))]));
}

/** Samples for each letter at 16 kHz. */
const SAMPLES_PER_LETTER = 1_200;
const RATE = 16_000;

function graph(): Bytes {
  const step = (2 * Math.PI * 150) / RATE;
  return Buffer.concat([
    node("Cast", ["input_lengths"], "letters", FLOAT),
    node("Mul", ["letters", "per_letter"], "natural"),
    node("Mul", ["natural", "length_scale"], "length"),
    node("Squeeze", ["length", "first_axis"], "limit"),
    node("Range", ["zero", "limit", "one"], "time"),
    node("Cast", ["sid"], "speaker", FLOAT),
    node("Add", ["speaker", "one"], "multiple"),
    node("Mul", ["multiple", "step"], "frequency"),
    node("Mul", ["time", "frequency"], "phase"),
    node("Sin", ["phase"], "tone"),
    node("Mul", ["tone", "amplitude"], "quiet"),
    node("Reshape", ["quiet", "shape"], "output"),
    bytes(2, "tiny"),
    floats("per_letter", [SAMPLES_PER_LETTER], [1]),
    floats("step", [step], [1]),
    floats("amplitude", [0.3], [1]),
    floats("zero", [0], []),
    floats("one", [1], []),
    integers("first_axis", [0]),
    integers("shape", [1, 1, -1]),
    value(11, "input", INT64, [1, "letters"]),
    value(11, "input_lengths", INT64, [1]),
    value(11, "noise_scale", FLOAT, [1]),
    value(11, "length_scale", FLOAT, [1]),
    value(11, "noise_scale_w", FLOAT, [1]),
    value(11, "sid", INT64, [1]),
    value(12, "output", FLOAT, [1, 1, "samples"]),
  ]);
}

export const TINY_SPEAKERS = ["low-m", "high-f"];

/** The metadata of a model that reads characters. */
export const TINY_METADATA: Readonly<Record<string, string>> = {
  model_type: "vits",
  comment: "tiny",
  language: "English",
  frontend: "characters",
  sample_rate: String(RATE),
  n_speakers: String(TINY_SPEAKERS.length),
  speaker_names: TINY_SPEAKERS.join(","),
  use_eos_bos: "0",
  add_blank: "0",
};

/** An ONNX model with this metadata. */
export function tinyModel(metadata: Readonly<Record<string, string>> = TINY_METADATA): Buffer {
  const entries = Object.entries(metadata).map(([key, text]) =>
    bytes(14, Buffer.concat([bytes(1, key), bytes(2, text)])),
  );
  return Buffer.concat([number(1, 8), bytes(8, number(2, 13)), bytes(7, graph()), ...entries]);
}

const LETTERS = " abcdefghijklmnopqrstuvwxyz0123456789,.?!'-";

/** The files of a model folder, by name. */
function tinyFiles(metadata = TINY_METADATA): Record<string, Buffer> {
  const tokens = [...LETTERS].map((letter, id) => (letter === " " ? String(id) : `${letter} ${id}`));
  return { "model.onnx": tinyModel(metadata), "tokens.txt": Buffer.from(`${tokens.join("\n")}\n`) };
}

/** Writes a model folder; `changes` replaces files, null leaves one out. */
export async function writeTinyVoice(
  directory: string,
  changes: Readonly<Record<string, Buffer | null>> = {},
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, content] of Object.entries({ ...tinyFiles(), ...changes }))
    if (content !== null) await writeFile(path.join(directory, name), content);
}
