/**
 * Bundles the server process, the admin command and every `*.worker.ts` into `.next/patchbay`, next to the Next build.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { build } from "esbuild";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const OUT = path.join(ROOT, ".next", "patchbay");
const FILES = path.join(OUT, "files");

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/**
 * Packages of many small files that every start loads: bundled, they load in a third of the time. eld is bundled so
 * that its table can be rewritten (`languageTable`). All other packages stay external: native modules, WebAssembly and
 * data files are opened from their package's folder.
 */
const BUNDLED = [
  "compression",
  "eld",
  "kysely",
  "lru-cache",
  "next-auth",
  "otpauth",
  "sirv",
  "undici",
  "zod",
];
const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const external = Object.keys(dependencies)
  .filter((name) => !BUNDLED.includes(name))
  .flatMap((name) => [name, `${name}/*`]);

/**
 * Rewrites eld's table of n-grams, an object literal of 1.6 MB, as JSON: V8's JavaScript parser needs 140 MB for the
 * literal, and half of that stays in the C library's heap after the thread has ended.
 */
const languageTable = {
  name: "language-table",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]eld[\\/]src[\\/]ngrams[\\/]small\.js$/ }, async ({ path: file }) => {
      const { ngramsData } = await import(pathToFileURL(file).href);
      const text = JSON.stringify(JSON.stringify(ngramsData));
      return { contents: `export const ngramsData = JSON.parse(${text});` };
    });
  },
};

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external,
  plugins: [languageTable],
  // Bundled CommonJS packages call `require` for Node's modules; an ES module has no `require`.
  banner: {
    js: 'import { createRequire as bundledRequire } from "node:module"; const require = bundledRequire(import.meta.url);',
  },
  // Keeps dynamic imports (PostgreSQL, Redis) in chunks of their own, which are loaded on demand.
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
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

/** Bundles worker entry points to `OUT/workers/<name>.mjs` (`store.worker.ts` → `store.mjs`). */
export async function buildWorkers() {
  const files = await findWorkers(path.join(ROOT, "lib"));
  await mkdir(path.join(OUT, "workers"), { recursive: true });
  if (files.length === 0) return;
  const entryPoints = Object.fromEntries(files.map((file) => [path.basename(file, ".worker.ts"), file]));
  await build({ ...shared, entryPoints, outdir: path.join(OUT, "workers") });
}

/** Bundles `main.mjs` and `admin.mjs`. */
async function buildServer() {
  await build({
    ...shared,
    entryPoints: {
      main: path.join(ROOT, "lib/server/process/main.ts"),
      admin: path.join(ROOT, "lib/server/admin/main.ts"),
    },
    outdir: OUT,
  });
}

const STAMP = "stamp.json";
const PAGES = ["app", "components", "lib", "public", "next.config.js", "package-lock.json", "tsconfig.json"];
const SERVER = ["lib", "package-lock.json", "tsconfig.json"];

async function filesBelow(name) {
  const target = path.join(ROOT, name);
  const found = await stat(target).catch(() => null);
  if (found === null) return [];
  if (found.isFile()) return [target];
  const entries = await readdir(target, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** A digest of the names and contents of all sources of a build. */
async function digestOf(names) {
  const files = (await Promise.all(names.map(filesBelow))).flat().sort();
  const hash = createHash("sha256").update(process.version);
  for (const file of files) hash.update(path.relative(ROOT, file)).update(await readFile(file));
  return hash.digest("hex");
}

async function readStamp() {
  try {
    return JSON.parse(await readFile(path.join(OUT, STAMP), "utf8"));
  } catch {
    return {};
  }
}

async function saveStamp(part) {
  await mkdir(OUT, { recursive: true });
  await writeFile(path.join(OUT, STAMP), JSON.stringify({ ...(await readStamp()), ...part }));
}

/** Bundles the server and its workers if their sources have changed since the last time. */
export async function ensureServer() {
  const server = await digestOf(SERVER);
  if ((await readStamp()).server === server) return;
  for (const folder of [OUT, path.join(OUT, "workers")])
    await rm(path.join(folder, "chunks"), { recursive: true, force: true });
  await buildWorkers();
  await buildServer();
  await saveStamp({ server });
}

/** Identifies the sources of the pages. */
export const digestOfPages = () => digestOf(PAGES);

/** True when the pages in `.next` were built from the current sources. */
export async function arePagesFresh() {
  return (await readStamp()).pages === (await digestOfPages());
}

/** Compresses as small as possible: this runs once per build. Images and fonts are compressed already. */
async function writeCompressed(file) {
  if (!/\.(?:css|html|ico|js|json|map|svg|txt|xml)$/.test(file)) return;
  const bytes = await readFile(file);
  if (bytes.length < 1_024) return;
  const [br, gz] = await Promise.all([brotli(bytes), gzip(bytes, { level: 9 })]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

/** Copies Next's static files and `public/` into one folder, with a brotli and a gzip copy of each text. */
async function buildFiles() {
  await rm(FILES, { recursive: true, force: true });
  await cp(path.join(ROOT, ".next", "static"), path.join(FILES, "_next", "static"), { recursive: true });
  await cp(path.join(ROOT, "public"), FILES, { recursive: true });
  const entries = await readdir(FILES, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map((entry) => writeCompressed(path.join(entry.parentPath, entry.name))));
}

/** Prepares the files that the server sends. `digest`: that of the pages' sources before they were built. */
export async function finishPages(digest) {
  await buildFiles();
  await saveStamp({ pages: digest });
}
