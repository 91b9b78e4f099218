/**
 * Finds a Chromium: Playwright's, else the system's, else installs Debian's package as root. The headless shell is
 * preferred: it needs a quarter less time.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

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
  const isRootOnDebian = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isRootOnDebian) {
    console.log("No Chromium found: installing Debian's package (apt-get install chromium-headless-shell) …");
    execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    for (const name of PACKAGES) {
      spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
      const installed = findSystemChromium();
      if (installed) return installed;
    }
  }
  throw new Error(
    "No Chromium found. Run `npx playwright install chromium`, or install your system's chromium package.",
  );
}
