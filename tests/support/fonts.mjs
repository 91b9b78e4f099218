/** Chinese fonts: without them a screenshot shows boxes instead of characters. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const HELP =
  "No Chinese font found: install one (Debian: apt-get install fonts-noto-cjk) for legible screenshots.";

function hasChineseFont() {
  // macOS and Windows include one.
  if (process.platform !== "linux") return true;
  const list = spawnSync("fc-list", [":lang=zh", "family"], { encoding: "utf8" });
  return list.status === 0 && list.stdout.trim() !== "";
}

function install(...packages) {
  const quiet = ["ignore", "ignore", "inherit"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: quiet, env });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
    stdio: quiet,
    env,
  });
}

/** Installs a missing font as root on Debian; elsewhere prints how to install one. */
export function ensureChineseFont() {
  if (hasChineseFont()) return;
  const isRootOnDebian = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (isRootOnDebian) {
    console.log("No Chinese font found: installing Debian's package (apt-get install fonts-noto-cjk) …");
    install("fontconfig", "fonts-noto-cjk");
  }
  if (!hasChineseFont()) console.log(HELP);
}
