/** Installs what the tests need from Debian's packages, where that is possible. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** How long to wait for another run of apt-get, in seconds. */
const LOCK_SECONDS = 300;

/** Installs these packages as root on Debian, and does nothing elsewhere. apt-get prints its own errors. */
export function installPackages(...packages) {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Installing Debian's ${packages.join(", ")} …`);
  const quiet = ["-qq", "-o", `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  const options = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", [...quiet, "update"], options);
  spawnSync("apt-get", [...quiet, "install", "-y", "--no-install-recommends", ...packages], options);
}
