/**
 * Finds a Chromium: Playwright's, else the system's, else installs Debian's package as root. The headless shell is
 * preferred: it needs a quarter less time.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { installPackages } from "./debian.mjs";

const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge",
];
const PACKAGES = ["chromium-headless-shell", "chromium"];
const INSTALL_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Flags for a Chromium that runs as root in a container without network access of its own. */
export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--autoplay-policy=no-user-gesture-required",
];

function findSystemChromium() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...onPath, ...INSTALL_PATHS].find((file) => existsSync(file));
}

/** Path of a Chromium; installs one as root on Debian. Throws an error that says how to install one elsewhere. */
export async function findChromium() {
  const { chromium } = await import("playwright/test");
  const own = chromium.executablePath();
  if (own && existsSync(own)) return own;
  const system = findSystemChromium();
  if (system) return system;
  for (const name of PACKAGES) {
    installPackages(name);
    const installed = findSystemChromium();
    if (installed) return installed;
  }
  throw new Error(
    "No Chromium found. Run `npx playwright install chromium`, or install your system's chromium package.",
  );
}
