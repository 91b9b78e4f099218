export const BAR_WIDTH = 2;
export const BAR_GAP = 1;
const PITCH = BAR_WIDTH + BAR_GAP;

/** Number of bars that fit into `width` CSS pixels. */
export function barCount(width: number): number {
  return Math.max(1, Math.floor((width + BAR_GAP) / PITCH));
}

/**
 * Draws peaks (0–1) as bars around the middle, those before `progress` (0–1) in the played colour. Fits the canvas to
 * its box and the device pixel ratio first.
 */
export function drawBars(
  canvas: HTMLCanvasElement,
  peaks: ArrayLike<number>,
  style: { rest: string; played: string; progress: number },
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const bars = Math.min(peaks.length, barCount(width));
  const loudest = Math.max(0.2, ...Array.from({ length: bars }, (_, at) => peaks[at] ?? 0));
  for (let bar = 0; bar < bars; bar += 1) {
    const size = Math.max(2, ((peaks[bar] ?? 0) / loudest) * height);
    context.fillStyle = (bar + 0.5) * PITCH <= style.progress * width ? style.played : style.rest;
    context.beginPath();
    context.roundRect(bar * PITCH, (height - size) / 2, BAR_WIDTH, size, 1);
    context.fill();
  }
}
