import { themeColor } from "../charts/theme-color";
import type { Scale } from "./similarity";

/** Colours of the heat map, interpolated between the theme's three, and a readable text colour for each. */
export interface HeatColours {
  /** Red, green and blue of each step, packed for image data (little-endian ABGR). */
  packed: Uint32Array;
  /** CSS colour of text on each step. */
  textColours: readonly string[];
  /** Colour of the diagonal: a text's similarity to itself is always 1 and is left out of the scale. */
  self: number;
}

const STEPS = 64;

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

/** Reads the theme's heat colours at this element, through a canvas that converts any CSS colour to RGB. */
export function readHeatColours(element: Element): HeatColours {
  const strip = document.createElement("canvas");
  strip.width = STEPS;
  strip.height = 2;
  const packed = new Uint32Array(STEPS);
  const ctx = strip.getContext("2d", { willReadFrequently: true });
  if (!ctx) return { packed, textColours: [], self: 0 };
  const ramp = ctx.createLinearGradient(0.5, 0, STEPS - 0.5, 0);
  ramp.addColorStop(0, themeColor(element, "--heat-low"));
  ramp.addColorStop(0.5, themeColor(element, "--heat-mid"));
  ramp.addColorStop(1, themeColor(element, "--heat-high"));
  ctx.fillStyle = ramp;
  ctx.fillRect(0, 0, STEPS, 1);
  const candidates = [themeColor(element, "--ink"), themeColor(element, "--on-ink")];
  for (const [at, color] of [...candidates, themeColor(element, "--hover")].entries()) {
    ctx.fillStyle = color;
    ctx.fillRect(at, 1, 1, 1);
  }
  const { data } = ctx.getImageData(0, 0, STEPS, 2);
  const pixel = (at: number) => data.subarray(at * 4, at * 4 + 3);
  const candidateLuminances = candidates.map((_, at) => luminance(pixel(STEPS + at)));
  const pack = ([red = 0, green = 0, blue = 0]: Iterable<number>) =>
    ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  const textColours = Array.from({ length: STEPS }, (_, step) => {
    packed[step] = pack(pixel(step));
    const background = luminance(pixel(step));
    const [ink = 0, onInk = 0] = candidateLuminances.map((candidate) => contrast(candidate, background));
    return (ink >= onInk ? candidates[0] : candidates[1]) ?? "";
  });
  return { packed, textColours, self: pack(pixel(STEPS + candidates.length)) };
}

/** The colour step of a value on a scale. */
export function stepOf(value: number, { min, max }: Scale): number {
  const share = max > min ? (value - min) / (max - min) : 1;
  return Math.max(0, Math.min(STEPS - 1, Math.round(share * (STEPS - 1))));
}
