import { expect, test } from "vitest";
import { openGatewayHarness } from "../support/gateway-harness";

test.each([
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/responses",
  "/v1/responses/resp_1",
  "/v1/engines/davinci/completions",
])("%s answers 404 with a message that text generation is not supported", async (path) => {
  const harness = openGatewayHarness();
  const reply = await harness.call(path, { body: { model: "gpt-4o", messages: [] } });
  expect([reply.status, reply.json.error]).toEqual([
    404,
    {
      message: `Unknown path ${path}: Patchbay serves speech and embeddings, not text generation.`,
      type: "invalid_request_error",
      param: null,
      code: "unknown_url",
    },
  ]);
});

test.each(["/v1/nothing", "/v1/completions-of", "/v1/chat"])(
  "%s answers like any unknown path",
  async (path) => {
    const reply = await openGatewayHarness().call(path, { body: {} });
    expect([reply.status, reply.json.error.message]).toEqual([
      404,
      "Unknown path. /openapi.json lists all paths.",
    ]);
  },
);

test.each(["/v1beta", "/v1"])(
  "names an unknown method of a model below %s, and the known ones",
  async (base) => {
    const harness = openGatewayHarness();
    const reply = await harness.call(`${base}/models/patchbay-embed:embedText`, { body: {} });
    expect([reply.status, reply.json.error]).toEqual([
      404,
      {
        code: 404,
        message:
          "Unknown method ':embedText'. Known methods: " +
          ":generateContent, :streamGenerateContent, :embedContent, :batchEmbedContents, :countTokens.",
        status: "NOT_FOUND",
      },
    ]);
  },
);
