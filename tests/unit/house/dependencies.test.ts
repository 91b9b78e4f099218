import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../support/sources";

/** Versions below these have published vulnerabilities (SSRF, remote execution, session confusion). */
const FLOORS: Record<string, string> = {
  next: "16.2.11",
  react: "19.2.6",
  "react-dom": "19.2.6",
  "next-auth": "4.24.15",
  undici: "7.24.0",
};

interface LockedPackage {
  version?: string;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  dev?: boolean;
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(path.join(ROOT, "package-lock.json"), "utf8"),
);
const manifest: { scripts: Record<string, string>; dependencies: Record<string, string> } = JSON.parse(
  readFileSync(path.join(ROOT, "package.json"), "utf8"),
);

function isAtLeast(version: string, floor: string): boolean {
  const [have, want] = [version, floor].map((text) => text.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (have?.[i] ?? 0) - (want?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

test.each(Object.entries(FLOORS))("the version of %s is %s or newer", (name, floor) => {
  const version = lock.packages[`node_modules/${name}`]?.version ?? "0.0.0";
  expect(isAtLeast(version, floor), `${name} ${version}`).toBe(true);
});

test("versions are pinned exactly", () => {
  const loose = Object.entries(manifest.dependencies).filter(
    ([, version]) => !/^\d+\.\d+\.\d+/.test(version),
  );
  expect(loose).toEqual([]);
});

test("every script runs Next through the start script, which disables its telemetry", () => {
  const direct = Object.entries(manifest.scripts).filter(([, script]) =>
    /\bnext (build|dev|start)\b/.test(script),
  );
  expect(direct).toEqual([]);
  const start = readFileSync(path.join(ROOT, "lib/server/start.mjs"), "utf8");
  expect(start).toContain('process.env.NEXT_TELEMETRY_DISABLED ??= "1"');
});

test("the start script runs Node without a shell, which would split a path with a space", () => {
  const start = readFileSync(path.join(ROOT, "lib/server/start.mjs"), "utf8");
  expect(start).not.toMatch(/\bshell: /);
});

test("what Next's build requires is also installed without development dependencies", () => {
  const setup = readFileSync(
    path.join(ROOT, "node_modules/next/dist/lib/verify-typescript-setup.js"),
    "utf8",
  );
  const types = [...setup.matchAll(/pkg: '(@types\/\w+)'/g)].map(([, name = ""]) => name);
  expect(types).not.toEqual([]);
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(types));
});

test("the top folder contains only the expected names", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const top = [...new Set(tracked.map((file) => file.split("/")[0] ?? ""))].filter(
    (name) => !name.startsWith("."),
  );
  const allowed = [
    "app",
    "components",
    "lib",
    "tests",
    "public",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "next.config.js",
    "README.md",
    "LICENSE",
    "Dockerfile",
    "compose.yaml",
  ];
  expect(top.filter((name) => !allowed.includes(name))).toEqual([]);
});
