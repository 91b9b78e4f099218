import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { type OpenApiDocument, readOperations } from "@/components/api-docs/openapi/document";
import { TryPanel } from "@/components/api-docs/try-panel";
import { describeRoutes } from "@/lib/http/core/openapi/describe-routes";
import { ROUTES } from "@/lib/http/routes";
import { en } from "@/lib/messages/en";

const document = JSON.parse(JSON.stringify(describeRoutes(ROUTES, Date.now()))) as OpenApiDocument;
const MODELS = { speech: "patchbay-speech", embeddings: "patchbay-embed-en" };

function panelOf(path: string): string {
  const operation = readOperations(document).find((one) => one.method === "GET" && one.path === path);
  if (!operation) throw new Error(`The document has no GET ${path}.`);
  const children = createElement(TryPanel, { operation, models: MODELS });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
}

const { session, public: isPublic, metrics } = en.apiDocs.try;

test.each([
  ["/api/keys", session],
  ["/api/users", session],
  ["/api/status", isPublic],
  ["/openapi.json", isPublic],
  ["/metrics", metrics],
])("says which access a request to %s has", (path, text) => {
  const panel = panelOf(path);
  expect([session, isPublic, metrics].filter((one) => panel.includes(one))).toEqual([text]);
});

test("offers a choice of keys for an endpoint of the gateway", () => {
  expect(panelOf("/v1/models")).toContain(en.apiDocs.try.playground);
});
