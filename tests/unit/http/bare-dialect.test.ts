import { expect, test } from "vitest";
import { bareDialect } from "../../../lib/http/core/normalize-path";
import { openGatewayHarness } from "../../support/gateway-harness";

const NO_KEY = new Map<string, string>();
const KEY = new Map([["authorization", "Bearer sk-pb-x"]]);
const GOOGLE_KEY = new Map([["x-goog-api-key", "sk-pb-x"]]);

test.each(["/embeddings", "/audio/speech", "/chat/completions", "/engines/x/embeddings", "/responses"])(
  "recognizes %s as an OpenAI path with and without a key",
  (path) => {
    expect(bareDialect(path, NO_KEY)).toBe("openai");
    expect(bareDialect(path, KEY)).toBe("openai");
  },
);

test("treats /models as a page without a key and as an API's list with one", () => {
  // A browser sends this header for basic authentication at a proxy in front of Patchbay.
  expect(bareDialect("/models", new Map([["authorization", "Basic b3duZXI6cHc="]]))).toBeNull();
  expect(bareDialect("/models", NO_KEY)).toBeNull();
  expect(bareDialect("/models", KEY)).toBe("openai");
  expect(bareDialect("/models/x:embedContent", GOOGLE_KEY)).toBe("gemini");
});

test.each(["/", "/keys", "/playground/embeddings", "/audiobook", "/v1/embeddings", "/v1beta/models"])(
  "does not recognize %s as an API path at the root",
  (path) => {
    expect(bareDialect(path, KEY)).toBeNull();
    expect(bareDialect(path, GOOGLE_KEY)).toBeNull();
  },
);

test.each([
  // google-genai in Python and @google/genai, with the base URL of @ai-sdk/google.
  ["/v1beta/v1/models/m:embedContent", "must not end in /v1beta, so that it calls /v1/models/m:embedContent"],
  ["/v1beta/v1beta/models/m", "must not end in /v1beta, so that it calls /v1beta/models/m"],
  // The same, with the base URL of an OpenAI client.
  ["/v1/v1/models/m:embedContent", "must not end in /v1, so that it calls /v1/models/m:embedContent"],
  ["/v1/v1beta/models", "must not end in /v1, so that it calls /v1beta/models"],
])("tells a Gemini client that calls %s that its base URL %s", async (path, advice) => {
  const headers = { authorization: "", "x-goog-api-key": "sk-pb-x" };
  const reply = await openGatewayHarness().call(path, { headers, method: "POST", body: {} });
  expect([reply.status, reply.json.error]).toEqual([
    404,
    {
      code: 404,
      message: `Unknown path ${path}: the base URL of this Gemini client ${advice}.`,
      status: "NOT_FOUND",
    },
  ]);
});

test.each([
  ["/v1/v1/models", "/v1/models"],
  ["/v1/v1/embeddings", "/v1/embeddings"],
])(
  "tells an OpenAI client that calls %s, in an OpenAI error body, that it must call %s",
  async (path, rest) => {
    const reply = await openGatewayHarness().call(path, { method: "POST", body: {} });
    const message = `Unknown path ${path}: the base URL of this client must not end in /v1, so that it calls ${rest}.`;
    expect([reply.status, reply.json.error]).toMatchObject([404, { message, code: "unknown_url" }]);
  },
);
