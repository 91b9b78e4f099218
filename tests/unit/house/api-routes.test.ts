import { expect, test } from "vitest";
import { ROUTES } from "../../../lib/http/routes";
import { sourcesBelow } from "../../support/sources";

const routeFiles = sourcesBelow("app").filter((source) => /(^|\/)route\.tsx?$/.test(source.file));

/** The path in a route file: `nextHandlers("/api/setup")`. */
const namedPath = (text: string) =>
  /^export const \{ [A-Z, ]+ \} = nextHandlers\(\s*"([^"]+)",?\s*\);$/m.exec(text)?.[1];

/** The URL pattern of a route file: `app/v1/engines/[model]/embeddings/route.ts` is `/v1/engines/{}/embeddings`. */
const urlOf = (file: string) =>
  `/${file
    .replace(/^app\//, "")
    .replace(/\/?route\.ts$/, "")
    .replace(/\/?\[\[?\.\.\.\w+\]\]?/, "/*")
    .replace(/\[\w+\]/g, "{}")}`;

test("every route file except next-auth's gets its handlers from the route table", () => {
  const paths = new Set(ROUTES.map((route) => route.path));
  for (const { file, text } of routeFiles) {
    if (file === "app/api/auth/[...nextauth]/route.ts") continue;
    const named = namedPath(text);
    expect([file, named]).toEqual([file, expect.any(String)]);
    const isKnown = named?.endsWith("/*") || paths.has(named ?? "");
    expect([file, named, isKnown]).toEqual([file, named, true]);
    // The folder `[call]` matches a model and its verb.
    const pattern = named?.replace(/\{\w+\}(:\w+)?/g, "{}");
    expect([file, pattern?.replace(/\/\*$/, "")]).toEqual([file, urlOf(file).replace(/\/\*$/, "")]);
  }
});

test("the main endpoints have their own route files", () => {
  const files = routeFiles.map((source) => source.file);
  expect(files).toEqual(
    expect.arrayContaining([
      "app/v1beta/models/[call]/route.ts",
      "app/v1/engines/[model]/embeddings/route.ts",
      "app/v1/embeddings/route.ts",
      "app/v1/audio/speech/route.ts",
      "app/api/user/login/2fa/route.ts",
      "app/api/setup/route.ts",
    ]),
  );
});

test("no route file reads a request body", () => {
  const readers = routeFiles.filter((source) => /\.(json|formData|text|arrayBuffer)\(\)/.test(source.text));
  expect(readers.map((source) => source.file)).toEqual([]);
});

test("no access check is in a proxy.ts or middleware.ts", () => {
  const files = sourcesBelow("app", "lib").filter((source) =>
    /(^|\/)(proxy|middleware)\.tsx?$/.test(source.file),
  );
  expect(files.map((source) => source.file)).toEqual([]);
});

test("no page has server actions", () => {
  const actions = sourcesBelow("app", "components", "lib").filter((source) =>
    /^["']use server["']/m.test(source.text),
  );
  expect(actions.map((source) => source.file)).toEqual([]);
});

test("only session-cookie.ts and the OpenAPI document name the session cookie", () => {
  const writers = sourcesBelow("app", "lib").filter((source) => /next-auth\.session-token/.test(source.text));
  // The OpenAPI document names it.
  expect(writers.map((source) => source.file)).toEqual([
    "lib/http/console/session-cookie.ts",
    "lib/http/core/openapi/describe-routes.ts",
  ]);
});
