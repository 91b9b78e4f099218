import { toNestErrors } from "@hookform/resolvers";
import type { FieldErrors, FieldValues, ResolverOptions, ResolverResult } from "react-hook-form";
import { type $ZodIssue, type $ZodType, type input, type output, safeParse } from "zod/v4/core";
import { type FieldErrorTranslator, knownRule } from "./rule-text";

/** Validates a form: the parsed values, or the first issue of each field in the page's language. */
export function checkSchema<Schema extends $ZodType<FieldValues, FieldValues>>(
  schema: Schema,
  values: input<Schema>,
  options: ResolverOptions<input<Schema>>,
  t: FieldErrorTranslator,
): ResolverResult<input<Schema>, output<Schema>> {
  const result = safeParse(schema, values, { reportInput: true });
  if (result.success) return { values: result.data, errors: {} };
  const errors: FieldErrors = {};
  for (const issue of result.error.issues) {
    errors[issue.path.join(".")] ??= { type: issue.code, message: issueText(t, issue) };
  }
  return { values: {}, errors: toNestErrors(errors, options) };
}

/** The message of a validation issue in the page's language. */
export function issueText(t: FieldErrorTranslator, issue: $ZodIssue): string {
  const translated = knownRule(t, issue.message);
  if (translated !== null) return translated;
  switch (issue.code) {
    case "too_small":
      return t("tooSmall", { minimum: Number(issue.minimum) });
    case "too_big":
      return t("tooBig", { maximum: Number(issue.maximum) });
    case "invalid_type":
      if (issue.input === undefined || issue.input === null || issue.input === "") return t("required");
      return issue.expected === "number" ? t("number") : t("invalid");
    case "custom":
      return issue.message;
    default:
      return t("invalid");
  }
}
