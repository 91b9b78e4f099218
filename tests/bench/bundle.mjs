/** Bundles TypeScript for benchmarks, so that they measure and use the code of the product and its tests. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { OUT, ROOT } from "../../lib/server/build.mjs";

/** Imports everything that `lines` of TypeScript export; their paths are relative to the project's root. */
export async function importTypeScript(name, lines) {
  const outfile = path.join(OUT, "bench", `${name}.mjs`);
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: ROOT, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    // The bundled code finds the project's root as from a file in tests/support.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(path.join(ROOT, "tests/support/x.ts")).href) },
  });
  const module = await import(`${pathToFileURL(outfile).href}?${Date.now()}`);
  await rm(outfile);
  return module;
}
