import type { FieldError, FieldErrors, FieldValues, Path, Resolver } from "react-hook-form";
import { type $ZodType, safeParse } from "zod/v4/core";
import { issueText } from "./check-schema";
import type { FieldErrorTranslator } from "./rule-text";

/** How a form's fields relate to the request that it sends. */
interface RequestForm<Values extends FieldValues> {
  toRequest(values: Values): unknown;
  fields: readonly Path<Values>[];
  /** The field of a request path: `budget.daily_usd` → `daily`. */
  fieldOf(path: string): string;
}

/** A resolver for a form whose fields differ from its request: checks the request, shows each issue at its field. */
export function requestResolver<Values extends FieldValues, Request extends FieldValues>(
  schema: $ZodType<Request>,
  { toRequest, fields, fieldOf }: RequestForm<Values>,
  t: FieldErrorTranslator,
): Resolver<Values, unknown, Request> {
  return (values) => {
    const result = safeParse(schema, toRequest(values), { reportInput: true });
    if (result.success) return { values: result.data, errors: {} };
    const errors: Record<string, FieldError> = {};
    for (const issue of result.error.issues) {
      const field = fields.find((name) => name === fieldOf(issue.path.join(".")));
      if (field) errors[field] ??= { type: issue.code, message: issueText(t, issue) };
    }
    // Keyed by the form's own flat field names.
    return { values: {}, errors: errors as FieldErrors<Values> };
  };
}
