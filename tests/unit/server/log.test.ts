import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { redact } from "../../../lib/server/process/log";

const digest = (secret: string) =>
  `[sha256:${createHash("sha256").update(secret).digest("hex").slice(0, 8)}]`;

test.each([
  ["Authorization: Bearer abc.DEF-123", "abc.DEF-123"],
  ["authorization=bearer  t0ken/with+signs=", "t0ken/with+signs="],
  ["the key sk-pb-0123456789abcdef was sent", "sk-pb-0123456789abcdef"],
  ["x-goog-api-key AIzaSyA-0123456789", "AIzaSyA-0123456789"],
  ["GET /v1beta/models?pageSize=5&key=plain-secret", "plain-secret"],
  ["/reset?token=one-time&x=1", "one-time"],
  ["cookie eyJhbGciOiJkaXIifQ..a.b.c", "eyJhbGciOiJkaXIifQ..a.b.c"],
  ["https://user:pass@host.example/v1", "pass"],
  ["rediss://:hunter2@cache.example:6379/0", "hunter2"],
])("logs only a digest of the secret in %j", (text, secret) => {
  expect(redact(text)).toBe(text.replace(secret, digest(secret)));
});

test("logs a text on one line without control characters", () => {
  expect(redact("a\nb\r\u001b[31m\u0000\u2028\u2029\u0085")).toBe(
    "a\\nb\\u000d\\u001b[31m\\u0000\\u2028\\u2029\\u0085",
  );
});
