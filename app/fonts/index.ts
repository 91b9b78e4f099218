/**
 * Geist (SIL Open Font License, LICENSE.txt): subsets of `Geist-Variable.woff2` and `GeistMono-Variable.woff2` of the npm
 * package geist 1.7.2, made with subset-font 2.9.0: weights 400 to 700; Latin, Latin-1, Latin Extended-A, punctuation,
 * arrows and the signs the console uses. They have 27 KB each instead of 70; other characters come from the system.
 */
import localFont from "next/font/local";

// `optional`: a font that is not loaded by the first paint is used from the next page on, so text never reflows.

export const sans = localFont({
  src: "./geist-sans.woff2",
  variable: "--font-geist-sans",
  weight: "400 700",
  display: "optional",
});

export const mono = localFont({
  src: "./geist-mono.woff2",
  variable: "--font-geist-mono",
  weight: "400 700",
  adjustFontFallback: false,
  fallback: [
    "ui-monospace",
    "SFMono-Regular",
    "Roboto Mono",
    "Menlo",
    "Monaco",
    "Liberation Mono",
    "DejaVu Sans Mono",
    "Courier New",
    "monospace",
  ],
  display: "optional",
});

/** Keys, secrets and codes: invisible until the font is loaded, so that their shapes never change. */
export const secret = localFont({
  src: "./geist-mono.woff2",
  variable: "--font-secret",
  weight: "400 700",
  adjustFontFallback: false,
  display: "block",
  preload: false,
});
