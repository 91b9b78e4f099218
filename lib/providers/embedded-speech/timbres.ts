import type { Band } from "../../audio/equalize";
import type { EspeakVariant } from "../espeak/speak";
import type { FliteVoice } from "../flite/speak";

/** The sound of one voice, in every language. */
export interface Timbre {
  /** Median pitch in hertz; where the English engine has a fixed pitch, that pitch times `playbackRate`. */
  pitchHz: number;
  /** Factor for the formants: below 1 for a longer vocal tract, above 1 for a shorter one. */
  playbackRate: number;
  bands: readonly Band[];
  flite: FliteVoice;
  espeak: EspeakVariant;
  /** Standard deviation of the pitch in English, in hertz; null: the engine's own. */
  pitchStdDevHz: number | null;
}

/**
 * Filters. Any two differ by 2 dB or more over the mel bands (by 2.9 dB, except hollow and airy, and hollow and plain).
 */
const COLOURS = {
  plain: [],
  dark: [
    { shape: "low-shelf", hertz: 300, gainDb: 4 },
    { shape: "high-shelf", hertz: 2400, gainDb: -8 },
  ],
  bright: [
    { shape: "low-shelf", hertz: 350, gainDb: -5 },
    { shape: "high-shelf", hertz: 2000, gainDb: 7 },
  ],
  airy: [
    { shape: "peak", hertz: 1500, gainDb: -6 },
    { shape: "high-shelf", hertz: 4500, gainDb: 7 },
  ],
  hollow: [
    { shape: "low-shelf", hertz: 300, gainDb: 4 },
    { shape: "peak", hertz: 1100, gainDb: -7 },
  ],
  forward: [
    { shape: "low-shelf", hertz: 250, gainDb: -5 },
    { shape: "peak", hertz: 1300, gainDb: 6 },
    { shape: "high-shelf", hertz: 5000, gainDb: -5 },
  ],
  warm: [
    { shape: "peak", hertz: 600, gainDb: 6 },
    { shape: "peak", hertz: 2600, gainDb: -8 },
  ],
} satisfies Record<string, readonly Band[]>;

type Row = readonly [
  flite: FliteVoice,
  espeak: EspeakVariant,
  pitchHz: number,
  playbackRate: number,
  colour: keyof typeof COLOURS,
  pitchStdDevHz?: number,
];

/**
 * Voices next to each other in pitch are half a semitone apart; the same filter comes again a semitone and a half
 * higher at the earliest.
 */
const ROWS: Readonly<Record<string, Row>> = {
  // Female voices, from low to high.
  Gacrux: ["slt", "f4", 150, 0.94, "dark"],
  sage: ["slt", "f2", 154.6, 0.97, "airy"],
  Kore: ["slt", "f2", 159.3, 0.98, "bright", 9],
  Sulafat: ["slt", "f4", 164.2, 0.96, "warm"],
  Erinome: ["slt", "f3", 169.2, 1, "plain"],
  marin: ["slt", "f4", 174.4, 1.02, "airy"],
  Vindemiatrix: ["slt", "f2", 179.7, 0.97, "dark"],
  Autonoe: ["slt", "f3", 185.2, 1.03, "bright"],
  Pulcherrima: ["slt", "f2", 190.9, 1.02, "forward", 18],
  Despina: ["slt", "f4", 196.8, 0.98, "warm"],
  Callirrhoe: ["slt", "f4", 202.8, 1, "airy"],
  nova: ["slt", "f4", 209, 1.03, "plain", 20],
  Achernar: ["slt", "f2", 215.4, 1, "dark"],
  Aoede: ["slt", "f2", 222, 1.03, "bright"],
  Laomedeia: ["slt", "f4", 228.8, 1.05, "forward", 26],
  coral: ["slt", "f2", 235.8, 1.04, "warm", 22],
  Leda: ["slt", "f3", 243, 1.1, "hollow", 22],
  Zephyr: ["slt", "f3", 250.5, 1.05, "bright"],
  shimmer: ["slt", "f2", 258.2, 1.05, "airy"],
  // Male voices, from low to high, and the two neutral ones. `rms` has a fixed pitch of 101 Hz, changed by
  // `playbackRate`.
  onyx: ["awb", "m1", 81, 0.9, "dark"],
  Algenib: ["kal16", "m7", 83.3, 0.95, "hollow"],
  Charon: ["awb", "m0", 85.6, 0.94, "forward"],
  cedar: ["awb", "m3", 88, 0.92, "warm"],
  Schedar: ["kal16", "m0", 90.5, 0.98, "airy", 8],
  Alnilam: ["rms", "m3", 93, 0.92, "plain"],
  Umbriel: ["awb", "m1", 95.6, 0.94, "dark"],
  Orus: ["rms", "m0", 98.2, 0.972, "bright"],
  Rasalgethi: ["awb", "m3", 101, 0.97, "forward"],
  Algieba: ["awb", "m3", 103.8, 0.95, "warm"],
  Enceladus: ["awb", "m1", 106.7, 0.97, "airy"],
  ash: ["rms", "m3", 109.7, 1.086, "plain"],
  ballad: ["awb", "m3", 112.8, 0.97, "dark", 20],
  Iapetus: ["awb", "m0", 116, 1, "bright"],
  Achird: ["awb", "m0", 119.3, 1.02, "forward"],
  Zubenelgenubi: ["awb", "m1", 122.7, 1, "warm"],
  echo: ["kal16", "m3", 126.2, 1.02, "hollow", 14],
  Sadaltager: ["awb", "m7", 129.8, 1.02, "bright"],
  verse: ["awb", "m7", 133.5, 1.04, "dark", 22],
  Sadachbia: ["awb", "m7", 137.3, 1.04, "forward", 24],
  fable: ["awb", "f4", 141.2, 1.06, "airy", 18],
  Puck: ["awb", "m0", 145.2, 1.06, "warm", 22],
  alloy: ["awb", "m3", 149.3, 1.08, "plain"],
  Fenrir: ["awb", "m7", 154.5, 1.07, "forward", 28],
};

/** The timbre of each voice of the embedded model, by canonical name. */
export const TIMBRES: ReadonlyMap<string, Timbre> = new Map(
  Object.entries(ROWS).map(([name, [flite, espeak, pitchHz, playbackRate, colour, pitchStdDevHz]]) => [
    name,
    { flite, espeak, pitchHz, playbackRate, bands: COLOURS[colour], pitchStdDevHz: pitchStdDevHz ?? null },
  ]),
);
