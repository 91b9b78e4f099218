import { createElement, type PointerEvent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { afterEach, expect, test, vi } from "vitest";
import { createFocusStore } from "@/components/embeddings/focus-store";
import { usePointMap } from "@/components/embeddings/use-point-map";
import { en } from "@/lib/messages/en";

afterEach(() => vi.unstubAllGlobals());

type Map = ReturnType<typeof usePointMap>;

const SCENE = { texts: ["a"], points: Float64Array.from([0, 0]), query: null, clusters: [] };

function Probe({ onMap }: { onMap(map: Map): void }) {
  onMap(usePointMap(SCENE, createFocusStore()));
  return null;
}

function openMap(): Map {
  let map: Map | undefined;
  const children = createElement(Probe, { onMap: (opened) => (map = opened) });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
  renderToStaticMarkup(createElement(IntlProvider, intl));
  if (!map) throw new Error("The map was not rendered.");
  return map;
}

test("the map does not follow a mouse whose button was released over a context menu", () => {
  vi.stubGlobal(
    "DOMRect",
    class {
      left = 0;
      top = 0;
      width = 100;
      height = 100;
    },
  );
  vi.stubGlobal("requestAnimationFrame", () => 1);
  const { areaHandlers } = openMap();
  const setPointerCapture = vi.fn();
  const at = (clientX: number, buttons: number) =>
    // Type assertion: the properties that the handlers read.
    ({
      pointerId: 1,
      pointerType: "mouse",
      clientX,
      clientY: 50,
      buttons,
      currentTarget: { setPointerCapture },
    }) as unknown as PointerEvent<HTMLDivElement>;
  areaHandlers.onPointerDown(at(50, 1));
  areaHandlers.onPointerMove(at(60, 1));
  expect(setPointerCapture).toHaveBeenCalledTimes(1);
  areaHandlers.onPointerUp(at(60, 0));
  // The context menu receives the release of the right button, so the map sees no pointerup.
  areaHandlers.onPointerDown(at(50, 2));
  areaHandlers.onPointerMove(at(70, 0));
  areaHandlers.onPointerMove(at(90, 0));
  expect(setPointerCapture).toHaveBeenCalledTimes(1);
});
