/**
 * `npm run test:image`: builds the container image without a registry, and makes first calls to it. The base is Debian
 * by debootstrap with this machine's Node; buildah builds in a chroot. Needs root and Debian's packages.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const MAX_MB = 450;
/** The server's command line, as a pattern of pgrep; servers of checkouts have absolute paths. */
const SERVER = "^(/\\S+/)?node \\.next/patchbay/main\\.mjs$";
const BASE = "localhost/patchbay-test-base";
const IMAGE = "localhost/patchbay-test";

const folder = mkdtempSync(path.join(tmpdir(), "patchbay-image-"));
const env = {
  ...process.env,
  STORAGE_DRIVER: "vfs",
  BUILDAH_ISOLATION: "chroot",
  DEBIAN_FRONTEND: "noninteractive",
};
const run = (command, ...args) =>
  execFileSync(command, args, { env, stdio: ["ignore", "inherit", "inherit"] });
const read = (command, ...args) => execFileSync(command, args, { env, encoding: "utf8" }).trim();

let passed = 0;
let failed = 0;
async function check(title, test) {
  try {
    await test();
    passed += 1;
    console.log(`✓ ${title}`);
  } catch (error) {
    failed += 1;
    console.log(`✗ ${title}: ${error.message}`);
  }
}
function expect(isTrue, message) {
  if (!isTrue) throw new Error(message);
}

function findTools() {
  const missing = ["buildah", "debootstrap"].filter((tool) => spawnSync("which", [tool]).status !== 0);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    console.error(
      `Install ${missing.join(" and ")} and run this as root: apt-get install ${missing.join(" ")}`,
    );
    process.exit(1);
  }
  run("apt-get", "update", "-qq");
  run("apt-get", "install", "-y", "-qq", ...missing);
}

/** Debian with this machine's Node and npm, as small as Debian's own slim image. */
function buildBase() {
  const root = path.join(folder, "base");
  run("debootstrap", "--variant=minbase", "--include=ca-certificates,libstdc++6", "bookworm", root);
  for (const unused of [
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "var/cache/apt",
    "var/lib/apt/lists",
  ])
    rmSync(path.join(root, unused), { recursive: true, force: true });
  cpSync(process.execPath, path.join(root, "usr/local/bin/node"));
  const npm = path.dirname(path.dirname(read("readlink", "-f", read("which", "npm"))));
  cpSync(npm, path.join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  run("ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", path.join(root, "usr/local/bin/npm"));
  // Registries may be reached through a proxy with a certificate of its own.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities) cpSync(authorities, path.join(root, "etc/ssl/certs/ca-certificates.crt"));
  const container = read("buildah", "from", "scratch");
  run("buildah", "add", "--quiet", container, root, "/");
  run("buildah", "config", "--env", "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt", container);
  run("buildah", "commit", "--quiet", "--rm", container, BASE);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function untilPrinted(output, pattern) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Not printed within a minute: ${pattern}. It printed:\n${output()}`);
}

async function postJson(url, body, headers = {}) {
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  expect(reply.status === 200, `${url}: ${reply.status} ${reply.status === 200 ? "" : await reply.text()}`);
  return reply;
}

async function callContainer(container) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    "buildah",
    [
      "run",
      "--env",
      `PORT=${port}`,
      "--env",
      "HOST=127.0.0.1",
      container,
      "--",
      "node",
      ".next/patchbay/main.mjs",
    ],
    { env },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    await check("starts as an unprivileged user, and asks for the setup", async () => {
      await untilPrinted(() => printed, /Set it up: \S+/);
      const pid = read("pgrep", "--full", "--newest", SERVER);
      expect(
        /^Uid:\s+10001\s/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
        `process ${pid} is not user 10001`,
      );
    });
    await check("is healthy by the image's own check", () => {
      const dockerfile = readFileSync(path.join(ROOT, "Dockerfile"), "utf8");
      const script = /CMD \["node", "-e", "([\s\S]*?)"\]/.exec(dockerfile)?.[1];
      expect(script !== undefined, "the Dockerfile has no health check");
      read(
        "buildah",
        "run",
        "--env",
        `PORT=${port}`,
        container,
        "--",
        "node",
        "-e",
        script.replaceAll("\\\n", ""),
      );
    });
    let key = "";
    await check("is set up, and its first key made", async () => {
      const account = {
        username: "olivia",
        password: "seven green kettles hum",
        confirmPassword: "seven green kettles hum",
      };
      const token = /#token=(\S+)/.exec(printed)?.[1];
      const reply = await postJson(`${url}/api/setup`, { ...account, setup_token: token });
      const cookie = reply.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ");
      key = (await (await postJson(`${url}/api/keys`, { name: "first" }, { cookie })).json()).data.key;
    });
    const headers = { authorization: `Bearer ${key}` };
    for (const voice of ["alloy", "nova"])
      await check(`speaks (${voice})`, async () => {
        const call = { model: "patchbay-speech", voice, input: "The kettle is on.", response_format: "wav" };
        const sound = await (await postJson(`${url}/v1/audio/speech`, call, headers)).arrayBuffer();
        expect(sound.byteLength > 40_000, `${sound.byteLength} bytes of sound`);
      });
    for (const input of ["Der Kessel pfeift.", "El agua hierve."])
      await check(`speaks other languages (${input})`, async () => {
        const call = { model: "patchbay-speech", voice: "alloy", input, response_format: "mp3" };
        const sound = await (await postJson(`${url}/v1/audio/speech`, call, headers)).arrayBuffer();
        expect(sound.byteLength > 5_000, `${sound.byteLength} bytes of sound`);
      });
    await check("embeds with every built-in model", async () => {
      const models = (await (await fetch(`${url}/v1/models`, { headers })).json()).data.map(
        (model) => model.id,
      );
      const embedding = models.filter((id) => id.startsWith("patchbay-embed"));
      expect(embedding.length > 0, `models: ${models}`);
      for (const model of embedding) {
        const { data } = await (
          await postJson(`${url}/v1/embeddings`, { model, input: "The kettle is on." }, headers)
        ).json();
        expect(data[0].embedding.length > 100, `${model}: ${data[0].embedding.length} numbers`);
      }
    });
    await check("serves pages, guides and scripts", async () => {
      for (const target of ["/login", "/openapi.json"]) {
        const reply = await fetch(url + target);
        expect(reply.status === 200, `${target}: ${reply.status}`);
      }
      const page = await (await fetch(`${url}/login`)).text();
      const script = /\/_next\/static\/[^"]+\.js/.exec(page)?.[0];
      expect((await fetch(url + script)).status === 200, `${script} is missing`);
    });
    await check("stops in order on SIGTERM", async () => {
      execFileSync("pkill", ["--full", "--newest", SERVER]);
      expect((await ended) === 0, `exit code ${await ended}:\n${printed.slice(-500)}`);
    });
  } finally {
    // buildah does not pass a signal on.
    if (child.exitCode === null) spawnSync("pkill", ["-KILL", "--full", "--newest", SERVER]);
    child.kill("SIGKILL");
  }
}

let container = null;
try {
  findTools();
  buildBase();
  const bases = ["--build-arg", `NODE_IMAGE=${BASE}`, "--build-arg", `BASE_IMAGE=${BASE}`];
  run("buildah", "build", "--quiet", ...bases, "--tag", IMAGE, ROOT);
  container = read("buildah", "from", IMAGE);
  const root = read("buildah", "mount", container);
  await check(`is not larger than ${MAX_MB} MB`, () => {
    const megabytes = Number(read("du", "--summarize", "--block-size=1M", root).split("\t")[0]);
    console.log(`  ${megabytes} MB`);
    expect(megabytes <= MAX_MB, `${megabytes} MB`);
  });
  await check("contains no compiler, no test and no secret", () => {
    for (const name of [
      "node_modules/typescript",
      "node_modules/@next/swc-linux-x64-gnu",
      "tests",
      "data",
      ".git",
    ])
      expect(!existsSync(path.join(root, "app", name)), `/app/${name} is in it`);
  });
  const startedAt = new Date().toISOString();
  await callContainer(container);
  await check("writes to /data and /tmp only, so the root may be read-only", () => {
    const written = read(
      "find",
      root,
      "-xdev",
      "-newermt",
      startedAt,
      "-type",
      "f",
      "-not",
      "-path",
      `${root}/data/*`,
      "-not",
      "-path",
      `${root}/tmp/*`,
    );
    expect(written === "", written);
  });
} finally {
  if (container !== null) spawnSync("buildah", ["rm", container], { env });
  spawnSync("buildah", ["rmi", "--force", IMAGE, BASE], { env });
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
