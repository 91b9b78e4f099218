import { expect, test, vi } from "vitest";
import { createDispatcher } from "@/lib/http/core/dispatch";
import type { Inbound } from "@/lib/http/core/exchange";
import type { GatewayRoute } from "@/lib/http/core/route";
import { chunked } from "../../support/exchange";
import { openGatewayHarness } from "../../support/gateway-harness";

test("the dispatcher ends the body of a reply that cannot be completed, and releases the request's resources", async () => {
  const { services, key } = openGatewayHarness();
  const body = { next: vi.fn(), return: vi.fn(async () => ({ done: true as const, value: undefined })) };
  const route: GatewayRoute = {
    surface: "openai",
    method: "POST",
    path: "/v1/streamed",
    operation: null,
    summary: "A streamed reply",
    handle: async () => ({ status: 200, headers: {}, body: { [Symbol.asyncIterator]: () => body } }),
  };
  services.instance.corsOrigins = {
    size: 1,
    has: () => {
      throw new Error("the origins are lost");
    },
  } as unknown as Set<string>;
  let release: (() => void) | null = null;
  const request: Inbound = {
    method: "POST",
    path: "/v1/streamed",
    query: "",
    headers: new Map([
      ["authorization", `Bearer ${key}`],
      ["origin", "https://app.example"],
    ]),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "req-1",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: (hold) => {
      release = hold;
    },
    readBody: async () => Buffer.from("{}"),
    streamBody: () => chunked(new Uint8Array(0)),
  };
  await expect(createDispatcher([route], async () => services)(request)).rejects.toThrow(
    "the origins are lost",
  );
  expect(body.return).toHaveBeenCalledTimes(1);
  expect(release).not.toBeNull();
});
