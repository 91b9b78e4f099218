import { createElement, type KeyboardEvent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { useRunButton } from "@/components/playground/use-run-button";

/** A button of a run, on which one key is held. */
function Held({ name, onPrevented }: { name: string; onPrevented(): void }) {
  const { onKeyDown } = useRunButton({ isRunning: false, start: () => true, stop: () => undefined });
  // Type assertion: the properties that the handler reads.
  onKeyDown({ key: name, repeat: true, preventDefault: onPrevented } as unknown as KeyboardEvent);
  return null;
}

test("a held key other than Enter keeps its effect on the button of a run", () => {
  const prevented: string[] = [];
  for (const name of ["Enter", "Tab", " ", "ArrowDown"])
    renderToStaticMarkup(createElement(Held, { name, onPrevented: () => prevented.push(name) }));
  expect(prevented).toEqual(["Enter"]);
});
