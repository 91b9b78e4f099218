import { expect, test } from "vitest";
import { AppError } from "../../../lib/errors";
import type { Inbound } from "../../../lib/http/core/exchange";
import { renderFailure } from "../../../lib/http/core/render-error";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
// The logged fields of a request.
const request = { requestId: "req-1", method: "POST", path: "/v1/embeddings" } as Inbound;
const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });

test.each([
  ["EMFILE", withCode("EMFILE")],
  ["ENFILE", withCode("ENFILE")],
  [
    "a thread that could not start",
    withCode("ERR_WORKER_INIT_FAILED", "Worker initialization failure: EMFILE"),
  ],
  ["EMFILE as the cause of another error", new Error("read", { cause: withCode("EMFILE") })],
  ["EMFILE under an internal error", new AppError("internal", "No.", {}, withCode("EMFILE"))],
])("answers %s with 503 and Retry-After", (_name, thrown) => {
  const reply = renderFailure("openai", thrown, request, log);
  expect(reply.status).toBe(503);
  expect(reply.headers["retry-after"]).toBe("1");
  expect(JSON.parse(Buffer.from(reply.body as Uint8Array).toString()).error.code).toBe("overloaded");
});

test("answers any other unknown error with 500, and an AppError with its own code", () => {
  expect(renderFailure("openai", withCode("ENOENT"), request, log).status).toBe(500);
  const full = new AppError("storage_unavailable", "Full.", {}, withCode("EMFILE"));
  const reply = renderFailure("openai", full, request, log);
  expect(JSON.parse(Buffer.from(reply.body as Uint8Array).toString()).error.code).toBe("storage_unavailable");
});
