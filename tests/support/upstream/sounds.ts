import { createHash } from "node:crypto";
import { wavHeader } from "../../../lib/audio/pcm";

/** Samples of a text: 10 ms per character, to keep tests small, and at least half a second. */
export function spokenSamples(text: string, rate: number, speed = 1): number {
  return Math.round((Math.max(0.5, text.length * 0.01) / speed) * rate);
}

/** The longest tone so far by pitch and rate: shorter ones are its beginning. */
const tones = new Map<string, Int16Array>();

/** A tone whose pitch identifies the voice, s16le mono. */
export function tonePcm(text: string, voice: string, rate: number, speed = 1): Buffer {
  const count = spokenSamples(text, rate, speed);
  const pitch = pitchOf(voice);
  const name = `${pitch} ${rate}`;
  let tone = tones.get(name);
  if (tone === undefined || tone.length < count) {
    const step = (2 * Math.PI * pitch) / rate;
    tone = Int16Array.from({ length: count }, (_, i) => Math.round(9_000 * Math.sin(step * i)));
    tones.set(name, tone);
  }
  return Buffer.from(tone.slice(0, count).buffer);
}

/** 200 to 455 hertz, by the voice's name. */
export function pitchOf(voice: string): number {
  return 200 + (createHash("sha256").update(voice).digest()[0] ?? 0);
}

export function wavFile(pcm: Buffer, rate: number, isEndless: boolean): Buffer {
  return Buffer.concat([wavHeader(rate, isEndless ? null : pcm.length), pcm]);
}

/** The vector of a text: the same for the same text, of length 1. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let seed = createHash("sha256").update(text).digest().readUInt32LE(0);
  for (let i = 0; i < dimensions; i += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    vector[i] = seed / 2 ** 31 - 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

/** An approximate word count, used as token count. */
export function tokensOf(text: string): number {
  return Math.max(1, text.trim().split(/\s+/).length);
}
