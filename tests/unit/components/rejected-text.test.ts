import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import { rejectionReason } from "../../../components/api-keys/key-state";
import { upstreamErrorText } from "../../../components/channels/test-outcome";
import { missingKeyReason } from "../../../components/requests/rejection-list";
import { apiKeys } from "../../../lib/messages/en/api-keys";
import { channels } from "../../../lib/messages/en/channels";

test("distinguishes a key without permission for an operation from one without permission for a model", () => {
  const at = "2026-11-20T00:00:00.000Z";
  expect(rejectionReason({ at, error: "forbidden", limit: null })).toBe("operation");
  expect(rejectionReason({ at, error: "model_not_allowed", limit: null })).toBe("model");
});

test.each([
  ["key_bodies", "uploads"],
  ["user_bodies", "uploads"],
  ["key_repeats", "repeats"],
  ["user_repeats", "repeats"],
  ["user_concurrency", "concurrency"],
  ["key_rpm", "limit"],
] as const)("names the limit %s of a rejected request", (limit, reason) => {
  expect(rejectionReason({ at: "2026-11-20T00:00:00.000Z", error: "rate_limited", limit })).toBe(reason);
});

test("maps each error of the body or of the server's load to a reason if the key is valid", () => {
  const at = "2026-11-20T00:00:00.000Z";
  const codes = ["invalid", "too_large", "unsupported_media_type", "request_timeout", "overloaded"];
  const reasons = codes.map((error) => rejectionReason({ at, error, limit: null }));
  expect(reasons).toEqual(["input", "size", "contentType", "slow", "overloaded"]);
});

test("explains an unauthenticated key by its expiry or by a disabled key or owner", () => {
  const at = "2026-11-20T00:00:00.000Z";
  const t = createTranslator({ locale: "en", messages: { apiKeys }, namespace: "apiKeys.rejected" });
  const text = t(rejectionReason({ at, error: "unauthenticated", limit: null }), { code: "unauthenticated" });
  expect(text).toBe("key or its owner disabled, or key expired");
});

test("reports the key as not checked for errors before authentication", () => {
  expect(missingKeyReason({ error: "unknown_url" })).toBe("keyNotChecked");
  expect(missingKeyReason({ error: "method_not_allowed" })).toBe("keyNotChecked");
  expect(missingKeyReason({ error: "unauthenticated" })).toBe("noKey");
});

test("shows the upstream's own message of a failed channel test", () => {
  const t = createTranslator({ locale: "en", messages: { channels }, namespace: "channels.upstreamError" });
  const failure = {
    code: "upstream_error",
    message: "The channel's upstream answered with an error (500).",
    fault: null,
    upstream_status: 500,
    upstream_message: "CUDA out of memory",
    key: null,
  };
  expect(upstreamErrorText(t, failure)).toEqual({
    summary: "The upstream returned an error (500).",
    detail: "CUDA out of memory",
  });
  expect(upstreamErrorText(t, { ...failure, fault: "account", upstream_status: 429 })).toEqual({
    summary: "The upstream account has no credit left.",
    detail: "CUDA out of memory",
  });
  expect(upstreamErrorText(t, { ...failure, upstream_message: null }).detail).toBe(failure.message);
  expect(upstreamErrorText(t, { ...failure, fault: "credentials", key: "****wxyz" }).summary).toBe(
    "Key ****wxyz: Invalid upstream key.",
  );
  const message = "The channel's upstream key cannot be decrypted with this server's secrets.";
  const unasked = {
    ...failure,
    fault: "credentials",
    message,
    upstream_status: null,
    upstream_message: null,
  };
  expect(upstreamErrorText(t, unasked)).toEqual({ summary: "Invalid upstream key.", detail: message });
});
