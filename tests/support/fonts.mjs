/** Chinese fonts: without them a screenshot shows boxes instead of characters. */
import { spawnSync } from "node:child_process";
import { installPackages } from "./debian.mjs";

const HELP =
  "No Chinese font found: install one (Debian: apt-get install fonts-noto-cjk) for legible screenshots.";

function hasChineseFont() {
  // macOS and Windows include one.
  if (process.platform !== "linux") return true;
  const list = spawnSync("fc-list", [":lang=zh", "family"], { encoding: "utf8" });
  return list.status === 0 && list.stdout.trim() !== "";
}

/** Installs a missing font as root on Debian; elsewhere prints how to install one. */
export function ensureChineseFont() {
  if (hasChineseFont()) return;
  installPackages("fontconfig", "fonts-noto-cjk");
  if (!hasChineseFont()) console.log(HELP);
}
