import { useEffect, useRef } from "react";

/** The calls that the keys open. */
interface Steps {
  /** IDs; null: none, or not loaded. */
  previous: string | null;
  next: string | null;
  /** Whether a call is open: the arrow keys scroll the page until then. */
  isOpen: boolean;
  onOpen(id: string): void;
}

const LETTERS: Readonly<Record<string, "previous" | "next">> = { k: "previous", j: "next" };
const ARROWS: Readonly<Record<string, "previous" | "next">> = { ArrowUp: "previous", ArrowDown: "next" };
/** Elements that use the keys themselves. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="radiogroup"], [role="tablist"], [role="slider"], [role="alertdialog"], [aria-modal="true"]';
/** After `g`, a letter opens a page (components/shell/use-shell-keys.ts). */
const SEQUENCE_MS = 1_500;

function stepOf(key: string, isOpen: boolean): "previous" | "next" | undefined {
  if (Object.hasOwn(LETTERS, key)) return LETTERS[key];
  return isOpen && Object.hasOwn(ARROWS, key) ? ARROWS[key] : undefined;
}

/** Opens the previous or next call by `k` and `j` or the arrow keys, unless the focused element uses these keys. */
export function useStepKeys(steps: Steps): void {
  const sequenceEnds = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const isSecond = event.timeStamp < sequenceEnds.current;
      sequenceEnds.current = event.key === "g" ? event.timeStamp + SEQUENCE_MS : 0;
      const step = stepOf(event.key, steps.isOpen);
      if (step === undefined || isSecond) return;
      if (event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
      event.preventDefault();
      const to = steps[step];
      if (to !== null) steps.onOpen(to);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}
