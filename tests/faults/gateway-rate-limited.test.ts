import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectFailure, type RoutedProduct, type RouteTarget, startRouted } from "../support/routed-product";
import { RETRY_AFTER_FORMS } from "../support/upstream/injected-failure";

/** Upstreams that are rate limited, in every form of Retry-After. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted();
});
afterAll(() => routed?.close());

const embed = (model: string) => routed.send("/v1/embeddings", { model, input: "one text" });
const SIZE = 8;
const GOOD: RouteTarget = { as: `embed.${SIZE}` };

describe("a 429 of the upstream", () => {
  test.each(RETRY_AFTER_FORMS.map((form, index) => [String(form.header), index, form.expectedMs] as const))(
    "with 'Retry-After: %s' fails over; without another channel the caller gets a Retry-After of at most 60 s",
    async (_header, index, expectedMs) => {
      const limited = `embed.${SIZE}--limited-${index}`;
      const { name } = await routed.route("embeddings", [{ as: limited }, GOOD]);
      expect((await embed(name)).headers["x-patchbay-channel"]).toBe(`${name}-1`);
      const { name: alone } = await routed.route("embeddings", [{ as: limited }]);
      const reply = await embed(alone);
      expectFailure("openai", reply, 429, "upstream_rate_limited");
      expect(reply.headers["x-should-retry"]).toBe("false");
      expect(reply.headers["retry-after"]).toBe(
        String(Math.ceil(Math.min(60_000, expectedMs ?? 1_000) / 1_000)),
      );
      // The channel's circuit is open now: the upstream is not called, and the caller gets the same error.
      const asked = routed.upstream.ledger.length;
      expectFailure("openai", await embed(alone), 429, "upstream_rate_limited");
      expect(routed.upstream.ledger.length).toBe(asked);
    },
  );

  test("with Google's RetryInfo on every channel reaches the caller with the shortest wait", async () => {
    const { name } = await routed.route("embeddings", [
      { as: `embed.${SIZE}--retry-info-34`, provider: "gemini" },
      { as: `embed.${SIZE}--retry-info-9`, provider: "gemini" },
    ]);
    const reply = await routed.send(`/v1beta/models/${name}:embedContent`, {
      content: { parts: [{ text: "x" }] },
    });
    expectFailure("gemini", reply, 429, "RESOURCE_EXHAUSTED");
    expect(reply.headers["retry-after"]).toBe("9");
  });
});
