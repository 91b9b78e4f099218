import { expect, test } from "vitest";
import { importsOf, sourcesBelow } from "../../support/sources";

/**
 * Who may import whom (lib/README in words: nobody upward, no two rooms each other). A room names every room it
 * may reach; itself is always allowed.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "lib/contracts": ["lib/contracts"],
  "lib/errors": [],
  "lib/ports": ["lib/contracts", "lib/errors"],
  "lib/audio": ["lib/errors"],
  "lib/text": ["lib/errors"],
  "lib/domain": ["lib/contracts", "lib/errors", "lib/ports"],
  "lib/store": ["lib/contracts", "lib/errors", "lib/ports"],
  "lib/providers": ["lib/contracts", "lib/errors", "lib/ports", "lib/audio", "lib/text"],
  "lib/http": ["lib/contracts", "lib/errors", "lib/ports", "lib/domain", "lib/audio", "lib/text"],
  "lib/server": [
    "lib/contracts",
    "lib/errors",
    "lib/ports",
    "lib/domain",
    "lib/store",
    "lib/providers",
    "lib/http",
    "lib/audio",
    "lib/text",
  ],
  "lib/client": ["lib/contracts", "lib/messages"],
  "lib/messages": [],
  components: ["lib/client", "lib/contracts", "lib/messages"],
  app: ["components", "lib/client", "lib/contracts", "lib/messages", "lib/server", "lib/http", "lib/domain"],
};

/** Where types alone may be taken from, besides. */
const MAY_IMPORT_TYPES: Record<string, readonly string[]> = {
  "lib/text": ["lib/ports"],
  "lib/audio": ["lib/ports"],
};

function roomOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  return top === "lib" ? `lib/${second.replace(/\.(ts|tsx|mts|mjs)$/, "")}` : top;
}

const sources = sourcesBelow("app", "components", "lib");

test("nobody imports upward", () => {
  const broken = sources.flatMap((source) =>
    importsOf(source)
      .filter((one) => one.isOurs && !one.to.endsWith(".css"))
      .filter((one) => {
        const from = roomOf(one.from);
        const to = roomOf(one.to);
        if (from === to) return false;
        if (MAY_IMPORT[from]?.includes(to)) return false;
        return !(one.isTypeOnly && MAY_IMPORT_TYPES[from]?.includes(to));
      })
      .map((one) => `${one.from} → ${one.to}`),
  );
  expect(broken).toEqual([]);
});

test("the domain knows no Next, no SQL, no network and no process", () => {
  const banned =
    /^(next|next-auth|kysely|libsql|pg|undici|ioredis)(\/|$)|^node:(http|https|net|fs|worker_threads)/;
  const broken = sources
    .filter((source) => source.file.startsWith("lib/domain/"))
    .flatMap(importsOf)
    .filter((one) => banned.test(one.to) && !(one.to === "node:net" && one.from.includes("address")))
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});

test("contracts import zod alone", () => {
  const broken = sources
    .filter((source) => source.file.startsWith("lib/contracts/"))
    .flatMap(importsOf)
    .filter((one) => !one.isOurs && one.to !== "zod")
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});

test("the environment is read in one file", () => {
  const readers = sources
    // What the playgrounds show to copy is text, not code of ours.
    .filter((source) => !source.file.startsWith("lib/client/code-samples"))
    .filter((source) => /process\.env/.test(source.text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")))
    .map((source) => source.file);
  expect(readers).toEqual(["lib/server/process/env.ts"]);
});

test("no file imports itself through others", () => {
  const files = new Set(sources.map((source) => source.file));
  const resolve = (to: string): string | undefined =>
    [to, `${to}.ts`, `${to}.tsx`, `${to}/index.ts`, `${to}/index.tsx`].find((file) => files.has(file));
  const edges = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source)
        .filter((one) => one.isOurs && !one.isTypeOnly)
        .flatMap((one) => resolve(one.to) ?? []),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, trail: string[]): void => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) walk(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  expect(cycles).toEqual([]);
});

test("upstreams are never called through the global fetch", () => {
  const callers = sources
    .filter((source) => /^lib\/(domain|providers|store|http|server)\//.test(source.file))
    .filter((source) => /(?<![\w.])fetch\(/.test(source.text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")))
    .map((source) => source.file);
  expect(callers).toEqual([]);
});

test("no client component imports server code", () => {
  const broken = sources
    .filter((source) => /^["']use client["']/m.test(source.text))
    .flatMap(importsOf)
    .filter(
      (one) => one.isOurs && !one.isTypeOnly && /^lib\/(server|store|domain|http|providers)\//.test(one.to),
    )
    .map((one) => `${one.from} → ${one.to}`);
  expect(broken).toEqual([]);
});
