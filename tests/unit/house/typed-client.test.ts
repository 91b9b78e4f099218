import { expect, test } from "vitest";
import { importsOf, sourcesBelow } from "../../support/sources";

/** Sources of browser code, without comments. */
const sources = sourcesBelow("app", "components", "lib/client").map(({ file, text }) => ({
  file,
  text: text.replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, ""),
}));

/** Names each endpoint once; `app/api` holds the route files. */
const NAMES = "lib/client/endpoints.ts";

test("browser code names the endpoints of the console API and contains none of their paths", () => {
  const own = sources.filter(
    ({ file, text }) =>
      file !== NAMES && !file.startsWith("app/api/") && /["'`](?:[A-Z]+ )?\/api\//.test(text),
  );
  expect(own.map(({ file }) => file)).toEqual([]);
});

test("only the typed client asserts the types of replies", () => {
  const asserted = sources.filter(
    ({ file, text }) =>
      /useSWR(?:Infinite)?<|callApi<|useApi<|useApiPages</.test(text) &&
      !file.startsWith("lib/client/use-api") &&
      file !== "lib/client/api.ts",
  );
  expect(asserted.map(({ file }) => file)).toEqual([]);
});

/** Files that cache something other than one reply of the console API. */
const OWN_CACHE_ENTRIES = [
  "components/alerts/alert-rows.tsx",
  "components/api-docs/reference.tsx", // The OpenAPI document.
  "components/api-keys/key-activity.tsx", // Several requests in one entry.
  "components/channels/form/edit-channel-page.tsx", // Not revalidated while the form is open.
  "components/forms/use-server-text.ts", // Code: the server's sentences in Chinese.
  "components/speech/use-speech-workspace.ts", // The gateway, with the playground key.
  "lib/client/use-api-pages.ts",
  "lib/client/use-api.ts",
];

test("replies of the console API are cached by the typed client", () => {
  const users = sources.filter(({ text }) => /import useSWR/.test(text)).map(({ file }) => file);
  expect(users.sort()).toEqual(OWN_CACHE_ENTRIES);
});

test("routes take their schemas from the declarations, without casts", () => {
  const routes = sourcesBelow("lib/http/routes/console");
  expect(routes.length).toBeGreaterThan(10);
  expect(
    routes.filter(({ text }) => /query as |params\.\w+ \?\?/.test(text)).map(({ file }) => file),
  ).toEqual([]);
});

test("the browser imports the types of the declarations, not their schemas", () => {
  const declarations = "lib/contracts/console/endpoints";
  const users = sourcesBelow("app", "components", "lib/client", "lib/contracts")
    .flatMap(importsOf)
    .filter((one) => one.to === declarations);
  expect(users.length).toBeGreaterThan(1);
  expect(users.filter((one) => !one.isTypeOnly).map((one) => one.from)).toEqual([]);
});
