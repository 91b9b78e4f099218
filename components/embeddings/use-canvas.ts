"use client";

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { onThemeChange } from "../charts/theme-color";

export interface Surface {
  pen: CanvasRenderingContext2D;
  canvas: HTMLCanvasElement;
  /** CSS pixels. */
  width: number;
  height: number;
  /** Device pixels a CSS pixel. */
  ratio: number;
}

/** Fits a canvas to its box and the screen's pixels; the pen measures in CSS pixels. Null while it has no size. */
function surfaceOf(canvas: HTMLCanvasElement): Surface | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = canvas.getContext("2d");
  if (!pen || width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, canvas, width, height, ratio };
}

/**
 * A canvas that `paint` fills: when `redraw()` asks, after a render that changed `paint`, on a new size and on a new
 * theme; at most once a frame.
 */
export function useCanvas(
  paint: (surface: Surface) => void,
  onTheme?: () => void,
): { canvas: RefObject<HTMLCanvasElement | null>; redraw(): void } {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef(paint);
  const themed = useRef(onTheme);
  const frame = useRef(0);

  const draw = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    const surface = canvas.current ? surfaceOf(canvas.current) : null;
    if (surface) painter.current(surface);
  }, []);
  const redraw = useCallback(() => {
    if (frame.current === 0) frame.current = requestAnimationFrame(draw);
  }, [draw]);

  useLayoutEffect(() => {
    painter.current = paint;
    themed.current = onTheme;
    draw();
  }, [paint, onTheme, draw]);

  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const sizes = new ResizeObserver(redraw);
    sizes.observe(target);
    const endTheme = onThemeChange(() => {
      themed.current?.();
      redraw();
    });
    return () => {
      sizes.disconnect();
      endTheme();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [redraw]);

  return { canvas, redraw };
}
