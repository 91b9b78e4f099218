import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssue } from "../../../lib/contracts/describe-issue";
import { Usd } from "../../../lib/contracts/money";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message;

test.each([
  [{ a: 1 }, "has the unknown field 'a'"],
  [{ a: 1, b: 2 }, "has the unknown fields 'a' and 'b'"],
  [{ a: 1, b: 2, c: 3 }, "has the unknown fields 'a', 'b' and 'c'"],
])("names all unknown fields of %j", (value, message) => {
  expect(messageOf(z.strictObject({}), value)).toBe(message);
});

test.each<[string, z.ZodType, string]>([
  ["a time", z.iso.datetime(), "must be a time in UTC, such as 2026-11-20T09:30:00Z"],
  ["a date", z.iso.date(), "must be a date, such as 2026-11-20"],
  ["a URL", z.url(), "must be a URL, such as https://api.example.com/v1"],
  ["an e-mail address", z.email(), "must be an e-mail address, such as name@example.com"],
  ["an IPv4 address", z.ipv4(), "must be an IPv4 address, such as 203.0.113.7"],
  ["an IPv6 address", z.ipv6(), "must be an IPv6 address, such as 2001:db8::7"],
  ["a pattern", z.string().regex(/^[a-z]+$/), "must match /^[a-z]+$/"],
  ["a format that has no description", z.jwt(), "has the wrong format"],
])("says what is accepted for %s", (_format, schema, message) => {
  expect(messageOf(schema, "?")).toBe(message);
});

test("says why the name of an entry is not valid", () => {
  const names = z.record(z.string().min(1, "Must not be empty.").max(3), z.string());
  expect(messageOf(names, { "": "nova" })).toBe("is not a valid name: it must not be empty");
  expect(messageOf(names, { alloy: "nova" })).toBe(
    "is not a valid name: it must be at most 3 characters long",
  );
});

test("separates the thousands of the largest amount", () => {
  expect(messageOf(Usd, "9007200")).toBe(
    'Must be dollars below 9,007,199 as a decimal string with at most 9 decimals, such as "12.50".',
  );
});
