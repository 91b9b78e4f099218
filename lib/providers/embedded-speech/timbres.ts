import type { Band } from "../../audio/equalize";
import type { EspeakVariant } from "../espeak/speak";
import type { FliteVoice } from "../flite/speak";

/** How one voice sounds, whatever the language. */
export interface Timbre {
  /** Median pitch in hertz; where the English engine knows one pitch only, that pitch moved by `tape`. */
  pitchHz: number;
  /** Factor by which the formants move: under 1 a longer throat, over 1 a shorter one. */
  tape: number;
  bands: readonly Band[];
  flite: FliteVoice;
  espeak: EspeakVariant;
  /** Swing of the English melody in hertz; null: the engine's own. */
  swingHz: number | null;
}

/** Colours some decibels apart from each other over the whole spectrum. */
const COLOURS = {
  plain: [],
  dark: [
    { shape: "low-shelf", hertz: 350, gainDb: 3 },
    { shape: "high-shelf", hertz: 2200, gainDb: -7 },
  ],
  bright: [
    { shape: "low-shelf", hertz: 350, gainDb: -4 },
    { shape: "high-shelf", hertz: 2000, gainDb: 6 },
  ],
  airy: [
    { shape: "peak", hertz: 1500, gainDb: -6 },
    { shape: "high-shelf", hertz: 4500, gainDb: 7 },
  ],
  hollow: [
    { shape: "low-shelf", hertz: 300, gainDb: 4 },
    { shape: "peak", hertz: 1100, gainDb: -7 },
  ],
} satisfies Record<string, readonly Band[]>;

type Row = readonly [
  flite: FliteVoice,
  espeak: EspeakVariant,
  pitchHz: number,
  tape: number,
  colour: keyof typeof COLOURS,
  swingHz?: number,
];

const ROWS: Readonly<Record<string, Row>> = {
  // Women, from low to high.
  Gacrux: ["slt", "f4", 150, 0.94, "dark"],
  sage: ["slt", "f2", 150, 0.97, "airy"],
  Sulafat: ["slt", "f4", 163, 0.96, "dark"],
  Kore: ["slt", "f2", 160, 0.98, "plain", 9],
  Vindemiatrix: ["slt", "f2", 177, 0.97, "dark"],
  Erinome: ["slt", "f3", 172, 1, "bright"],
  marin: ["slt", "f4", 175, 1.02, "plain"],
  Despina: ["slt", "f4", 192, 0.98, "dark"],
  Pulcherrima: ["slt", "f2", 187, 1.02, "bright", 18],
  Achernar: ["slt", "f2", 208, 1, "dark"],
  nova: ["slt", "f4", 204, 1.03, "plain", 20],
  Autonoe: ["slt", "f3", 203, 1.03, "bright"],
  Callirrhoe: ["slt", "f4", 225, 1, "dark"],
  Aoede: ["slt", "f2", 220, 1.03, "airy"],
  coral: ["slt", "f2", 220, 1.04, "bright", 22],
  Laomedeia: ["slt", "f4", 238, 1.05, "plain", 26],
  Zephyr: ["slt", "f3", 239, 1.05, "bright"],
  shimmer: ["slt", "f2", 256, 1.05, "airy"],
  Leda: ["slt", "f3", 260, 1.1, "bright", 22],
  // In between.
  alloy: ["awb", "m3", 150, 1.08, "hollow"],
  fable: ["awb", "f4", 140, 1.06, "airy", 18],
  // Men, from low to high. `rms` has its own pitch of 101 Hz, moved by `tape`.
  onyx: ["awb", "m1", 81, 0.9, "dark"],
  Algenib: ["kal16", "m7", 80, 0.95, "hollow"],
  cedar: ["awb", "m3", 88, 0.92, "dark"],
  Charon: ["awb", "m0", 89, 0.94, "bright"],
  Alnilam: ["rms", "m3", 89, 0.88, "plain"],
  Umbriel: ["awb", "m1", 95, 0.94, "dark"],
  Rasalgethi: ["awb", "m3", 96, 0.97, "plain"],
  Orus: ["rms", "m0", 96, 0.95, "bright"],
  Algieba: ["awb", "m3", 103, 0.95, "dark"],
  Sadaltager: ["rms", "m7", 103, 1.02, "plain"],
  Schedar: ["kal16", "m0", 103, 1, "airy", 8],
  Enceladus: ["awb", "m1", 111, 0.98, "airy"],
  Iapetus: ["awb", "m0", 111, 1, "bright"],
  ash: ["rms", "m3", 111, 1.1, "hollow"],
  ballad: ["awb", "m3", 120, 0.97, "dark", 20],
  echo: ["kal16", "m7", 120, 1.02, "hollow", 14],
  Achird: ["awb", "m0", 120, 1.02, "plain"],
  Zubenelgenubi: ["awb", "m1", 130, 1, "dark"],
  verse: ["awb", "m7", 130, 1.04, "bright", 22],
  Puck: ["awb", "m0", 141, 1.06, "bright", 22],
  Sadachbia: ["awb", "m7", 140, 1.04, "plain", 24],
  Fenrir: ["awb", "m7", 154, 1.07, "bright", 28],
};

/** The timbre of each voice of the embedded model, by canonical name. */
export const TIMBRES: ReadonlyMap<string, Timbre> = new Map(
  Object.entries(ROWS).map(([name, [flite, espeak, pitchHz, tape, colour, swingHz]]) => [
    name,
    { flite, espeak, pitchHz, tape, bands: COLOURS[colour], swingHz: swingHz ?? null },
  ]),
);
