import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { afterEach, expect, test, vi } from "vitest";
import { type OpenApiDocument, readOperations } from "@/components/api-docs/openapi/document";
import { tryCall } from "@/components/api-docs/openapi/try-call";
import { TryPanel } from "@/components/api-docs/try-panel";
import { forgetPlaygroundKey } from "@/lib/client/playground-key";
import { describeRoutes } from "@/lib/http/core/openapi/describe-routes";
import { ROUTES } from "@/lib/http/routes";
import { en } from "@/lib/messages/en";

afterEach(() => {
  vi.unstubAllGlobals();
  forgetPlaygroundKey();
});

const document = JSON.parse(JSON.stringify(describeRoutes(ROUTES, Date.now()))) as OpenApiDocument;
const MODELS = { speech: "patchbay-speech", embeddings: "patchbay-embed-en" };

const LENGTHS = {
  characters: (count: number) => `${count} 个字符`,
  numbers: (count: number) => `${count} 个数字`,
};

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
])("says how a request to %s is authenticated", (path, text) => {
  const panel = panelOf(path);
  expect([session, isPublic, metrics].filter((one) => panel.includes(one))).toEqual([text]);
});

test("offers a choice of keys for an endpoint of the gateway", () => {
  expect(panelOf("/v1/models")).toContain(en.apiDocs.try.playground);
});

test("sends a request again with a new playground key when the key has ended with its session", async () => {
  const keys = ["sk-pb-old", "sk-pb-new"];
  const used: (string | undefined)[] = [];
  vi.stubGlobal("fetch", async (path: string, init: { headers: Record<string, string> }) => {
    if (path === "/api/keys/playground") {
      const data = { key: keys.shift(), expires_at: new Date(Date.now() + 900_000).toISOString() };
      return Response.json({ success: true, data });
    }
    used.push(init.headers.authorization);
    return new Response("{}", { status: used.length === 1 ? 401 : 200 });
  });
  const request = { method: "GET", path: "/v1/models", body: null, auth: "playground" } as const;
  expect((await tryCall(request, LENGTHS)).status).toBe(200);
  expect(used).toEqual(["Bearer sk-pb-old", "Bearer sk-pb-new"]);
});

test("says in the language of the page how much of a long value is left out", async () => {
  vi.stubGlobal("fetch", async () =>
    Response.json({ data: "A".repeat(400), embedding: Array(30).fill(0.5) }),
  );
  const request = { method: "GET", path: "/api/status", body: null, auth: "session" } as const;
  const { data, embedding } = JSON.parse((await tryCall(request, LENGTHS)).text ?? "");
  expect(data).toBe(`${"A".repeat(120)}… 400 个字符`);
  expect(embedding.at(-1)).toBe("… 30 个数字");
});
