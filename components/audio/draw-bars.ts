export const BAR_WIDTH = 2;
export const BAR_GAP = 1;
const PITCH = BAR_WIDTH + BAR_GAP;

/** How many bars fit into this many pixels. */
export function barCount(width: number): number {
  return Math.max(1, Math.floor((width + BAR_GAP) / PITCH));
}

/**
 * Draws peaks (0–1) as bars around the middle, those before `progress` (0–1) in the played colour. The canvas is
 * fitted to its box and to the screen's pixels first.
 */
export function drawBars(
  canvas: HTMLCanvasElement,
  peaks: ArrayLike<number>,
  look: { rest: string; played: string; progress: number },
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const bars = Math.min(peaks.length, barCount(width));
  const loudest = Math.max(0.2, ...Array.from({ length: bars }, (_, at) => peaks[at] ?? 0));
  for (let bar = 0; bar < bars; bar += 1) {
    const size = Math.max(2, ((peaks[bar] ?? 0) / loudest) * height);
    pen.fillStyle = (bar + 0.5) * PITCH <= look.progress * width ? look.played : look.rest;
    pen.beginPath();
    pen.roundRect(bar * PITCH, (height - size) / 2, BAR_WIDTH, size, 1);
    pen.fill();
  }
}
