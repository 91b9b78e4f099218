"use client";

import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { onThemeChange } from "./theme-color";

export interface Surface {
  ctx: CanvasRenderingContext2D;
  canvas: HTMLCanvasElement;
  /** CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
}

/** Resizes a canvas to its box and clears it; `ctx` draws in CSS pixels. Null while the canvas has no size. */
function surfaceOf(canvas: HTMLCanvasElement): Surface | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ctx = canvas.getContext("2d");
  if (!ctx || width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return { ctx, canvas, width, height, ratio };
}

/**
 * A canvas drawn by `paint`: after a render that changed `paint`, and at most once per frame when `redraw()` is called
 * or the size or theme changes; while `isLive`, in every frame. A change of the theme first sets `themeCache` to null.
 */
export function useCanvas(
  paint: (surface: Surface) => void,
  { isLive = false, themeCache }: { isLive?: boolean; themeCache?: RefObject<unknown> } = {},
): { canvas: RefObject<HTMLCanvasElement | null>; redraw(): void } {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latestPaint = useRef(paint);
  const frame = useRef(0);

  const draw = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    const surface = canvas.current ? surfaceOf(canvas.current) : null;
    if (surface) latestPaint.current(surface);
  }, []);
  const redraw = useCallback(() => {
    if (frame.current === 0) frame.current = requestAnimationFrame(draw);
  }, [draw]);

  useLayoutEffect(() => {
    latestPaint.current = paint;
    draw();
    if (!isLive) return;
    let live = requestAnimationFrame(function tick() {
      draw();
      live = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(live);
  }, [paint, isLive, draw]);

  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const resizes = new ResizeObserver(redraw);
    resizes.observe(target);
    const stopThemeChanges = onThemeChange(() => {
      if (themeCache) themeCache.current = null;
      redraw();
    });
    return () => {
      resizes.disconnect();
      stopThemeChanges();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [redraw, themeCache]);

  return { canvas, redraw };
}

/** Handles the wheel. React's listeners are passive and could not keep the browser from scrolling or zooming. */
export function useWheel(target: RefObject<HTMLElement | null>, handle: (event: WheelEvent) => void): void {
  const onWheel = useEffectEvent(handle);
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const listen = (event: WheelEvent) => onWheel(event);
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, [target]);
}
