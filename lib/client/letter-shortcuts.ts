import { readStored, writeStored } from "./storage";

/** Milliseconds after `g` in which a letter opens a page, and has no other use. */
export const SEQUENCE_MS = 1_500;

const STORED = "patchbay-letter-shortcuts";
/** The choice where the browser refuses storage; it lasts until the page is left. */
let unstored: string | null = null;

/** Whether shortcuts of one character without Ctrl or Cmd are on in this browser (WCAG 2.1.4 Character Key Shortcuts). */
export function hasLetterShortcuts(): boolean {
  return (unstored ?? readStored("localStorage", STORED)) !== "off";
}

/** Turns the shortcuts of one character on or off in this browser. */
export function setLetterShortcuts(isOn: boolean): void {
  const choice = isOn ? "on" : "off";
  unstored = writeStored("localStorage", STORED, choice) ? null : choice;
}
