import type { EspeakWorker } from "@echogarden/espeak-ng-emscripten";
import { AppError } from "../../errors";
import { espeakVoice } from "./languages";

/**
 * espeak-ng's voice variants used here, with the median pitch of each at `pitch` 50, in hertz (measured on Spanish).
 */
const VARIANTS = { m0: 104, m1: 95, m3: 107, m7: 108, f2: 199, f3: 216, f4: 182, f5: 208 } as const;
export type EspeakVariant = keyof typeof VARIANTS;

interface EspeakRequest {
  text: string;
  /** BCP-47. */
  language: string;
  variant: EspeakVariant;
  /** Requested median pitch, in hertz. */
  pitchHz: number;
  /** 1 is the natural speed. */
  speed: number;
}

interface EngineSpeech {
  samples: Float32Array;
  rate: number;
  /** The remaining factor of the requested speed that the engine could not reach; 1 when it reached the speed. */
  restSpeed: number;
}

interface EspeakEngine {
  speak(request: EspeakRequest): EngineSpeech;
}

/** Pitch settings and their effect on the median pitch (measured; the same for all variants). */
const PITCH_CURVE: readonly Point[] = [
  [0, 0.66],
  [25, 0.8],
  [50, 1],
  [75, 1.27],
  [99, 1.65],
];
/**
 * Words per minute and the resulting speed (measured on German, Spanish, French and Russian). Beyond these values the
 * engine's pitch changes by up to a tenth and its tempo depends on the language, so `changeSpeed` of lib/audio/shape.ts
 * makes up the difference.
 */
const RATE_CURVE: readonly Point[] = [
  [130, 0.76],
  [150, 0.87],
  [175, 1],
  [220, 1.22],
  [260, 1.4],
];

type Point = readonly [setting: number, factor: number];

/** Loads espeak-ng (GPL-3.0; about 0.1 s) for 95 languages. One call at a time. */
export async function loadEspeak(): Promise<EspeakEngine> {
  const { default: init } = await import("@echogarden/espeak-ng-emscripten");
  // The engine prints messages about its data files, which would end up among the log lines.
  const module = await init({ print: () => {}, printErr: () => {} });
  const worker = new module.eSpeakNGWorker();
  return { speak: (request) => speak(worker, request) };
}

function speak(worker: EspeakWorker, request: EspeakRequest): EngineSpeech {
  const voice = espeakVoice(request.language);
  const variant = request.variant === "m0" ? "" : `+${request.variant}`;
  if (!voice || worker.set_voice(voice + variant) !== 0) {
    throw new AppError("internal", `The embedded engine has no voice for ${request.language}.`);
  }
  worker.set_pitch(Math.round(settingFor(PITCH_CURVE, request.pitchHz / VARIANTS[request.variant])));
  const rate = Math.round(settingFor(RATE_CURVE, request.speed));
  worker.set_rate(rate);
  worker.set_range(50);
  // Full volume clips inside the engine on some voices; the level is set afterwards anyway.
  worker.set_volume(70);

  const parts: Int16Array[] = [];
  worker.synthesize(request.text, (audio) => {
    if (audio) parts.push(audio);
    return false;
  });
  return {
    samples: joinFloats(parts),
    rate: worker.get_samplerate(),
    restSpeed: restOf(request.speed),
  };
}

function restOf(speed: number): number {
  const slowest = RATE_CURVE[0]?.[1] ?? 1;
  const fastest = RATE_CURVE.at(-1)?.[1] ?? 1;
  return speed / Math.min(fastest, Math.max(slowest, speed));
}

/**
 * The setting for `factor`, interpolated between two measured points on a logarithmic scale, within the curve's ends.
 */
function settingFor(curve: readonly Point[], factor: number): number {
  for (let i = 1; i < curve.length; i++) {
    const [fromSetting, fromFactor] = curve[i - 1] ?? [0, 1];
    const [toSetting, toFactor] = curve[i] ?? [0, 1];
    if (factor > toFactor && i < curve.length - 1) continue;
    const part = Math.log(factor / fromFactor) / Math.log(toFactor / fromFactor);
    return fromSetting + (toSetting - fromSetting) * Math.max(0, Math.min(1, part));
  }
  return 0;
}

function joinFloats(parts: Int16Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) for (const sample of part) out[at++] = sample / 32_768;
  return out;
}
