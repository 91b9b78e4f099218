import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./sources";

/** The sources of the server's bundles. */
const SOURCES = ["lib", "package.json", "package-lock.json", "tsconfig.json"];
/** Files whose change makes a build different: without documents and scripts of package.json. */
const PRODUCT = ["lib", "package-lock.json", ":(exclude,glob)lib/**/*.md"];

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] })
    .toString()
    .trim();

const succeeds = (...args: string[]): boolean => {
  try {
    git(...args);
    return true;
  } catch {
    return false;
  }
};

/**
 * The newest commit whose product differs from the tested one; HEAD if the working tree was edited. Null if there is no
 * such commit: without git, in a clone without its history, or if the product is unchanged since the first commit.
 */
export function findPrevious(): string | null {
  if (!succeeds("rev-parse", "--verify", "HEAD")) return null;
  if (!succeeds("diff", "--quiet", "HEAD", "--", ...PRODUCT)) return git("rev-parse", "--short", "HEAD");
  const newest = git("log", "-1", "--format=%h", "--", ...PRODUCT);
  return succeeds("rev-parse", "--verify", `${newest}~1`) ? git("rev-parse", "--short", `${newest}~1`) : null;
}

export interface PreviousBuild {
  root: string;
  remove(): void;
}

/**
 * Builds the server of a commit in a temporary folder, with this checkout's packages. For null, builds this checkout:
 * its instances are then replaced by equal ones, which still shows that a replacement fails no call.
 */
export function buildPrevious(commit: string | null): PreviousBuild {
  const root = mkdtempSync(path.join(tmpdir(), "patchbay-previous-"));
  if (commit === null)
    for (const source of SOURCES)
      cpSync(path.join(ROOT, source), path.join(root, source), { recursive: true });
  else {
    const archive = path.join(root, "sources.tar");
    git("archive", "--format=tar", `--output=${archive}`, commit, ...SOURCES);
    execFileSync("tar", ["-xf", archive, "-C", root]);
    rmSync(archive);
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"));
  mkdirSync(path.join(root, "public"));
  const build = "import('./lib/server/build.mjs').then((build) => build.ensureServer())";
  execFileSync(process.execPath, ["--input-type=module", "-e", build], { cwd: root });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
