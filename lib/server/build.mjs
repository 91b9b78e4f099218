/** Bundles the server process, the admin command and every `*.worker.ts` beside the Next build (`.next/patchbay`). */
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const OUT = path.join(ROOT, ".next", "patchbay");

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
  outExtension: { ".js": ".mjs" },
};

async function findWorkers(directory) {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".worker.ts"))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** Bundles worker entry points to `<out>/workers/<name>.mjs` (`writer.worker.ts` → `writer.mjs`). */
export async function buildWorkers(out = OUT) {
  const files = await findWorkers(path.join(ROOT, "lib"));
  await mkdir(path.join(out, "workers"), { recursive: true });
  if (files.length === 0) return;
  const entryPoints = Object.fromEntries(files.map((file) => [path.basename(file, ".worker.ts"), file]));
  await build({ ...shared, entryPoints, outdir: path.join(out, "workers") });
}

/** Bundles `main.mjs` and `admin.mjs`. */
export async function buildServer(out = OUT) {
  await build({
    ...shared,
    entryPoints: {
      main: path.join(ROOT, "lib/server/main.ts"),
      admin: path.join(ROOT, "lib/server/admin.ts"),
    },
    outdir: out,
  });
}
