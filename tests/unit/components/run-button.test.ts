import { createElement, type KeyboardEvent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { useRunButton } from "@/components/playground/use-run-button";

/** A run button that receives a repeated `keydown` event, as of a held key. */
function Held({ name, onPrevented }: { name: string; onPrevented(): void }) {
  const { onKeyDown } = useRunButton({ isRunning: false, start: () => true, stop: () => undefined });
  // Type assertion: the properties that the handler reads.
  onKeyDown({ key: name, repeat: true, preventDefault: onPrevented } as unknown as KeyboardEvent);
  return null;
}

test("a run button prevents the default action of a held Enter key only", () => {
  const prevented: string[] = [];
  for (const name of ["Enter", "Tab", " ", "ArrowDown"])
    renderToStaticMarkup(createElement(Held, { name, onPrevented: () => prevented.push(name) }));
  expect(prevented).toEqual(["Enter"]);
});
