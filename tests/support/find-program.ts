import { spawnSync } from "node:child_process";
import { installPackages } from "./debian.mjs";

const runs = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;

/** The first program that runs; when there is none, installs Debian's package as root, or throws. */
export function findProgram(names: readonly string[], debianPackage: string): string {
  const found = names.find(runs);
  if (found !== undefined) return found;
  installPackages(debianPackage);
  const installed = names.find(runs);
  if (installed !== undefined) return installed;
  throw new Error(`${names.join(" or ")} not found: install it with \`apt-get install ${debianPackage}\`.`);
}
