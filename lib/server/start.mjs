/**
 * `npm start`: builds what is missing or stale, then runs the server in this process. `--build`: only builds. `--dev`:
 * Next's development server behind ours, restarted when a file of `lib/` changes. `--admin …`: the admin command.
 */
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Patchbay needs Node 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}

const { arePagesFresh, digestOfPages, ensureServer, finishPages, OUT, ROOT } = await import("./build.mjs");
process.chdir(ROOT);
process.env.NEXT_TELEMETRY_DISABLED ??= "1";

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit" });
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
}

async function buildPages() {
  // Before the build: a file that changes meanwhile may not be in the pages.
  const digest = await digestOfPages();
  const code = await run(process.execPath, [path.join(ROOT, "node_modules/next/dist/bin/next"), "build"]);
  if (code !== 0) {
    process.stderr.write("The build failed; see the output above.\n");
    process.exit(1);
  }
  await finishPages(digest);
}

const load = (name) => import(pathToFileURL(path.join(OUT, `${name}.mjs`)).href);

async function develop() {
  let child = null;
  const restart = async () => {
    await ensureServer();
    child?.removeAllListeners("exit");
    child?.kill("SIGTERM");
    child = spawn(process.execPath, [path.join(OUT, "main.mjs"), "--dev"], {
      stdio: "inherit",
      env: { PATCHBAY_DRAIN_SECONDS: "0", ...process.env },
    });
    child.on("exit", (code) => process.exit(code ?? 0));
  };
  let timer = null;
  watch(path.join(ROOT, "lib"), { recursive: true }, (_event, file) => {
    if (!file || /^(client|messages)\//.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => restart().catch((error) => process.stderr.write(`${error.message}\n`)), 300);
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child?.kill(signal));
  await restart();
}

/** How often a server that npm started looks whether npm's shell has ended. */
const SHELL_CHECK_MS = 500;
const shell = process.ppid;

/**
 * Stops the server when npm's shell has ended: npm passes a signal on to the shell of `npm start`, and some shells exit
 * without stopping their command.
 */
function stopWithShell() {
  if (process.env.npm_lifecycle_event !== "start") return;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, SHELL_CHECK_MS).unref();
  // Ctrl-C reaches the server directly as well; a second signal would end it at once, without draining.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => clearInterval(timer));
}

/** `next build` empties `.next` first, so the server is bundled after it. */
async function build() {
  await buildPages();
  await ensureServer();
}

if (process.argv.includes("--build")) {
  await build();
} else if (process.argv.includes("--dev")) {
  await develop();
} else if (process.argv.includes("--admin")) {
  await ensureServer();
  await load("admin");
} else {
  if (await arePagesFresh()) await ensureServer();
  else {
    process.stdout.write("Building; this happens on the first start and after a change of the source.\n");
    await build();
  }
  await load("main");
  stopWithShell();
}
