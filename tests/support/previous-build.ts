import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./sources";

/** What the server's bundles are built from. */
const SOURCES = ["lib", "package.json", "package-lock.json", "tsconfig.json"];
/** What makes two builds different: no documents, and no scripts of package.json. */
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
 * The newest commit whose product differs from the one that is tested: HEAD where the working tree was edited. In a history
 * whose first commit is the product as it is now, that commit. Throws in a checkout without the history.
 */
export function findPrevious(): string {
  if (!succeeds("rev-parse", "--verify", "HEAD"))
    throw new Error(
      "The previous version is built from git: run this test in a clone, not in a copy of one.",
    );
  if (!succeeds("diff", "--quiet", "HEAD", "--", ...PRODUCT)) return git("rev-parse", "--short", "HEAD");
  const newest = git("log", "-1", "--format=%h", "--", ...PRODUCT);
  if (succeeds("rev-parse", "--verify", `${newest}~1`)) return git("rev-parse", "--short", `${newest}~1`);
  if (git("rev-parse", "--is-shallow-repository") === "true")
    throw new Error(`This clone has no commit before ${newest}: get the history with: git fetch --unshallow`);
  return newest;
}

export interface PreviousBuild {
  root: string;
  remove(): void;
}

/** Builds the server of a commit in a temporary folder, with this checkout's packages. */
export function buildPrevious(commit: string): PreviousBuild {
  const root = mkdtempSync(path.join(tmpdir(), "patchbay-previous-"));
  const archive = path.join(root, "sources.tar");
  git("archive", "--format=tar", `--output=${archive}`, commit, ...SOURCES);
  execFileSync("tar", ["-xf", archive, "-C", root]);
  rmSync(archive);
  symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"));
  mkdirSync(path.join(root, "public"));
  const build = "import('./lib/server/build.mjs').then((build) => build.ensureServer())";
  execFileSync(process.execPath, ["--input-type=module", "-e", build], { cwd: root });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
