import { expect, test } from "vitest";
import { importsOf, sourcesBelow } from "../../support/sources";

const BASE = ["lib/contracts", "lib/errors", "lib/ports"];

/** Which folders each folder may import from, types included. A folder may always import from itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "lib/contracts": [],
  "lib/errors": ["lib/contracts"],
  "lib/ports": ["lib/contracts", "lib/errors"],
  "lib/audio": ["lib/errors", "lib/ports"],
  "lib/text": ["lib/errors", "lib/ports"],
  "lib/gateway": [...BASE, "lib/text"],
  "lib/console": [...BASE, "lib/gateway"],
  "lib/store": BASE,
  "lib/shared-state": BASE,
  "lib/providers": [...BASE, "lib/audio", "lib/text"],
  "lib/http": [...BASE, "lib/audio", "lib/text", "lib/gateway", "lib/console"],
  "lib/server": [
    ...BASE,
    "lib/audio",
    "lib/text",
    "lib/gateway",
    "lib/console",
    "lib/providers",
    "lib/store",
    "lib/shared-state",
    "lib/http",
  ],
  "lib/messages": [],
  "lib/client": ["lib/contracts", "lib/messages"],
  components: ["lib/contracts", "lib/messages", "lib/client"],
  app: [
    "components",
    "lib/client",
    "lib/contracts",
    "lib/messages",
    "lib/server",
    "lib/http",
    "lib/console",
    "lib/gateway",
  ],
};

function folderOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  return top === "lib" ? `lib/${second.replace(/\.(ts|tsx|mts|mjs)$/, "")}` : top;
}

/** `lib/gateway/routing` for a file in that folder; null for a file directly in `lib/gateway` or `lib/console`. */
function areaOf(file: string): string | null {
  return /^lib\/(?:gateway|console)\/[^/]+(?=\/)/.exec(file)?.[0] ?? null;
}

const sources = sourcesBelow("app", "components", "lib");
const files = new Set(sources.map((source) => source.file));

/** The file of a relative import. */
function fileOf(to: string): string | undefined {
  return [to, `${to}.ts`, `${to}.tsx`, `${to}/index.ts`, `${to}/index.tsx`].find((file) => files.has(file));
}

/** The cycles of a graph, each as a path. */
function cyclesOf(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (node: string, trail: string[]): void => {
    if (trail.includes(node)) {
      cycles.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
      return;
    }
    if (done.has(node)) return;
    for (const next of edges.get(node) ?? []) walk(next, [...trail, node]);
    done.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return cycles;
}

test("each folder imports only from the folders below it", () => {
  const broken = sources.flatMap((source) =>
    importsOf(source)
      .filter((one) => one.isOurs && !one.to.endsWith(".css"))
      .filter((one) => {
        const from = folderOf(one.from);
        const to = folderOf(one.to);
        return from !== to && !MAY_IMPORT[from]?.includes(to);
      })
      .map((one) => `${one.from} → ${one.to}`),
  );
  expect(broken).toEqual([]);
});

test("folders of the gateway and of the console have no import cycles", () => {
  const edges = new Map<string, Set<string>>();
  for (const one of sources.flatMap(importsOf)) {
    const from = areaOf(one.from);
    const to = one.isOurs ? areaOf(fileOf(one.to) ?? one.to) : null;
    if (from === null || to === null || from === to) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  expect([...edges.keys()]).toContain("lib/gateway/speech");
  expect(cyclesOf(edges)).toEqual([]);
});

/** Folders that are shared by all features. */
const SHARED_COMPONENTS = new Set(["ui", "forms", "charts", "shell", "audio", "playground", "two-factor"]);
/** The files of a feature that other features may import. */
const PUBLIC_COMPONENTS = new Set([
  "components/embeddings/link",
  "components/requests/attempt-cause",
  "components/requests/call-cells",
  "components/requests/export-menu",
  "components/requests/filter-bar",
  "components/requests/rejected-link",
  "components/requests/rejection-list",
  "components/requests/request-list",
  "components/speech/link",
  "components/speech/script",
]);

test("no feature folder imports another feature's files", () => {
  const broken = sources
    .filter((source) => source.file.startsWith("components/"))
    .flatMap(importsOf)
    .filter((one) => one.isOurs && one.to.startsWith("components/"))
    .filter((one) => {
      const [, from = ""] = one.from.split("/");
      const [, to = ""] = one.to.split("/");
      return from !== to && !SHARED_COMPONENTS.has(to) && !PUBLIC_COMPONENTS.has(one.to);
    })
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});

test("gateway and console do not import Next, SQL, network or process modules", () => {
  const banned =
    /^(next|next-auth|kysely|libsql|pg|undici|@redis)(\/|$)|^node:(http|https|net|fs|worker_threads)/;
  const broken = sources
    .filter((source) => /^lib\/(gateway|console)\//.test(source.file))
    .flatMap(importsOf)
    .filter((one) => banned.test(one.to) && !(one.to === "node:net" && one.from.includes("address")))
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});

test("contracts import only zod", () => {
  const broken = sources
    .filter((source) => source.file.startsWith("lib/contracts/"))
    .flatMap(importsOf)
    .filter((one) => !one.isOurs && one.to !== "zod")
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});

test("the environment is read in one file", () => {
  const readers = sources
    // The samples that the playgrounds show for copying are text, not our own code.
    .filter(
      (source) =>
        !/^(lib\/client\/code-samples|components\/api-docs\/(guide-samples|openapi\/samples))/.test(
          source.file,
        ),
    )
    .filter((source) => /process\.env/.test(source.text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")))
    .map((source) => source.file);
  expect(readers).toEqual(["lib/server/process/env.ts"]);
});

test("no file is in an import cycle, types included", () => {
  const edges = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source)
        .filter((one) => one.isOurs)
        .flatMap((one) => fileOf(one.to) ?? []),
    ]),
  );
  expect(cyclesOf(edges)).toEqual([]);
});

test("no upstream is called through the global fetch", () => {
  const callers = sources
    .filter((source) => source.file.startsWith("lib/") && !source.file.startsWith("lib/client/"))
    .filter((source) => /(?<![\w.#])fetch\(/.test(source.text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")))
    .map((source) => source.file);
  expect(callers).toEqual([]);
});

test("no client component imports server code", () => {
  const isServerCode = (to: string) =>
    to.startsWith("lib/") && !/^lib\/(client|contracts|messages)\//.test(to);
  const broken = sources
    .filter((source) => /^["']use client["']/m.test(source.text))
    .flatMap(importsOf)
    .filter((one) => one.isOurs && !one.isTypeOnly && isServerCode(one.to))
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});
