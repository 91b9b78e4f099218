import { expect, test } from "vitest";
import { sourcesBelow } from "../../support/sources";

const routeFiles = sourcesBelow("app").filter((source) => /(^|\/)route\.tsx?$/.test(source.file));

test("every route file hands its requests to the one table, but next-auth's", () => {
  const others = routeFiles
    .filter((source) => source.file !== "app/api/auth/[...nextauth]/route.ts")
    .filter((source) => !/from ["'](@\/|(\.\.\/)+)lib\/(server|http)\/[\w-]*next[\w-]*["']/.test(source.text))
    .map((source) => source.file);
  expect(others).toEqual([]);
});

test("no route file reads a body by itself", () => {
  const readers = routeFiles.filter((source) => /\.(json|formData|text|arrayBuffer)\(\)/.test(source.text));
  expect(readers.map((source) => source.file)).toEqual([]);
});

test("nothing relies on a proxy.ts or a middleware.ts to keep people out", () => {
  const walls = sourcesBelow("app", "lib").filter((source) =>
    /(^|\/)(proxy|middleware)\.tsx?$/.test(source.file),
  );
  expect(walls.map((source) => source.file)).toEqual([]);
});

test("no page is given server actions", () => {
  const actions = sourcesBelow("app", "components", "lib").filter((source) =>
    /^["']use server["']/m.test(source.text),
  );
  expect(actions.map((source) => source.file)).toEqual([]);
});

test("the session cookie is written in one place", () => {
  const writers = sourcesBelow("app", "lib").filter((source) => /next-auth\.session-token/.test(source.text));
  // The OpenAPI document names it.
  expect(writers.map((source) => source.file)).toEqual([
    "lib/http/core/openapi.ts",
    "lib/http/console/session-cookie.ts",
  ]);
});
