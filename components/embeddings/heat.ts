import { themeColor } from "../charts/theme-color";

/** Colours of the heat map between the theme's three, with an ink for words on each. */
export interface Heat {
  /** Red, green and blue of each step, packed for image data (little-endian ABGR). */
  packed: Uint32Array;
  /** CSS colour of words on each step. */
  inks: readonly string[];
  /** A text against itself says nothing: its cell stays out of the scale. */
  self: number;
}

export const STEPS = 64;

function channel(byte: number): number {
  const share = byte / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance (WCAG 2). */
function luminance([red = 0, green = 0, blue = 0]: ArrayLike<number> & Iterable<number>): number {
  return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Reads the theme's heat colours at this element. */
export function readHeat(element: Element): Heat {
  const strip = document.createElement("canvas");
  strip.width = STEPS;
  strip.height = 2;
  const packed = new Uint32Array(STEPS);
  const pen = strip.getContext("2d", { willReadFrequently: true });
  if (!pen) return { packed, inks: [], self: 0 };
  const ramp = pen.createLinearGradient(0.5, 0, STEPS - 0.5, 0);
  ramp.addColorStop(0, themeColor(element, "--heat-low"));
  ramp.addColorStop(0.5, themeColor(element, "--heat-mid"));
  ramp.addColorStop(1, themeColor(element, "--heat-high"));
  pen.fillStyle = ramp;
  pen.fillRect(0, 0, STEPS, 1);
  const words = [themeColor(element, "--ink"), themeColor(element, "--on-ink")];
  for (const [at, color] of [...words, themeColor(element, "--hover")].entries()) {
    pen.fillStyle = color;
    pen.fillRect(at, 1, 1, 1);
  }
  const { data } = pen.getImageData(0, 0, STEPS, 2);
  const pixel = (at: number) => data.subarray(at * 4, at * 4 + 3);
  const wordLights = words.map((_, at) => luminance(pixel(STEPS + at)));
  const pack = ([red = 0, green = 0, blue = 0]: Iterable<number>) =>
    ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  const inks = Array.from({ length: STEPS }, (_, step) => {
    packed[step] = pack(pixel(step));
    const light = luminance(pixel(step));
    const [ink = 0, onInk = 0] = wordLights.map((word) => contrast(word, light));
    return (ink >= onInk ? words[0] : words[1]) ?? "";
  });
  return { packed, inks, self: pack(pixel(STEPS + words.length)) };
}

/** The step of a value on a scale from `least` to `most`. */
export function stepOf(value: number, { least, most }: { least: number; most: number }): number {
  const share = most > least ? (value - least) / (most - least) : 1;
  return Math.max(0, Math.min(STEPS - 1, Math.round(share * (STEPS - 1))));
}
