import type { z } from "zod";

/** The message of a validation error when the schema defines none, worded to follow the field's name. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${withArticle(issue.expected)}, not ${typeName(issue.input)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => (typeof value === "string" ? `'${value}'` : String(value))).join(" or ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${lengthUnit(issue.origin, issue.minimum)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${lengthUnit(issue.origin, issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has the unknown field${issue.keys.length === 1 ? "" : "s"} ${listOf(issue.keys)}`;
    case "invalid_format":
      return describeFormat(issue);
    case "invalid_union":
      return describeUnion(issue.errors, issue.input);
    case "invalid_key": {
      const [error] = issue.issues;
      return error === undefined
        ? "is not a valid name"
        : `is not a valid name: it ${asClause(error.message)}`;
    }
    default:
      return "is not valid";
  }
}

/** `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'` */
function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}

/** What zod's string formats accept. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["datetime", "a time in UTC, such as 2026-11-20T09:30:00Z"],
  ["date", "a date, such as 2026-11-20"],
  ["url", "a URL, such as https://api.example.com/v1"],
  ["email", "an e-mail address, such as name@example.com"],
  ["ipv4", "an IPv4 address, such as 203.0.113.7"],
  ["ipv6", "an IPv6 address, such as 2001:db8::7"],
]);

/** What the format accepts, or the pattern of a schema's own `regex`; those of zod's formats are too long to show. */
function describeFormat(issue: { format: string; pattern?: string | undefined }): string {
  const accepted = FORMATS.get(issue.format);
  if (accepted !== undefined) return `must be ${accepted}`;
  const isOwnPattern = issue.format === "regex" && issue.pattern !== undefined;
  return isOwnPattern ? `must match ${issue.pattern}` : "has the wrong format";
}

/** The error of the first union member that has the value's type; if there is none, the types that are accepted. */
function describeUnion(members: readonly (readonly z.core.$ZodIssue[])[], input: unknown): string {
  const kindErrors = members.map((errors) =>
    errors.find(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  const [error] = members[kindErrors.indexOf(undefined)] ?? [];
  if (error === undefined) {
    const kinds = kindErrors.flatMap((one) => (one?.code === "invalid_type" ? [one.expected] : []));
    if (kinds.length === 0) return "is not valid";
    return `must be ${[...new Set(kinds)].map(withArticle).join(" or ")}, not ${typeName(input)}`;
  }
  const text = asClause(error.message);
  return error.path.length === 0 ? text : `is not valid: '${error.path.map(String).join(".")}' ${text}`;
}

/** A message as a clause, without its capital and its full stop. */
function asClause(message: string): string {
  return `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, "");
}

function lengthUnit(origin: string, length: number | bigint): string {
  if (origin === "string") return length === 1 ? " character long" : " characters long";
  if (origin === "array") return length === 1 ? " item long" : " items long";
  return "";
}

function withArticle(type: string): string {
  if (type === "int") return "a whole number";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "number" ? String(value) : withArticle(typeof value);
}

/**
 * Replaces the error of a union by the errors of the one member that has the value's type, since the other members only
 * report that the value has another type. Returns the union's own error when no member has that type, or several have
 * it.
 */
export function flattenUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [inside, ...others] = issue.errors.filter((errors) => errors.every(({ path }) => path.length > 0));
  if (inside === undefined || others.length > 0) return [issue];
  return inside.flatMap((one) => flattenUnion({ ...one, path: [...issue.path, ...one.path] }));
}

/**
 * The message of a validation error when the schema defines none, as a sentence like those of the console's schemas.
 */
export function describeAsSentence(issue: z.core.$ZodRawIssue): string {
  const text = describeIssue(issue);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Zod's errors as issues, with one per unknown field. */
export function issuesOf(error: z.ZodError): { path: string; message: string }[] {
  return error.issues.flatMap(flattenUnion).flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: "Unknown field.",
    }));
  });
}
