import { themeColor } from "../charts/theme-color";
import type { Surface } from "../charts/use-canvas";

export const BAR_WIDTH = 2;
export const BAR_GAP = 1;
const PITCH = BAR_WIDTH + BAR_GAP;

/** Number of bars that fit into `width` CSS pixels. */
export function barCount(width: number): number {
  return Math.max(1, Math.floor((width + BAR_GAP) / PITCH));
}

/** Draws peaks (0–1) as bars around the middle, those before `progress` (0–1) in the played colour. */
export function drawBars(
  { ctx, canvas, width, height }: Surface,
  peaks: ArrayLike<number>,
  progress: number,
): void {
  const rest = themeColor(canvas, "--line-strong");
  const played = themeColor(canvas, "--signal");
  const bars = Math.min(peaks.length, barCount(width));
  const loudest = Math.max(0.2, ...Array.from({ length: bars }, (_, at) => peaks[at] ?? 0));
  for (let bar = 0; bar < bars; bar += 1) {
    const size = Math.max(2, ((peaks[bar] ?? 0) / loudest) * height);
    ctx.fillStyle = (bar + 0.5) * PITCH <= progress * width ? played : rest;
    ctx.beginPath();
    ctx.roundRect(bar * PITCH, (height - size) / 2, BAR_WIDTH, size, 1);
    ctx.fill();
  }
}
