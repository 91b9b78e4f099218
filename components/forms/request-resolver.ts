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
  return (values, _context, { fields: registered }) => {
    const errors: Record<string, FieldError> = {};
    for (const field of fields) {
      // The value of an incomplete or impossible date is empty, which the schema may accept.
      const ref = registered[field]?.ref;
      if (ref && "validity" in ref && ref.validity.badInput)
        errors[field] = { type: "badInput", message: t("invalid") };
    }
    const result = safeParse(schema, toRequest(values), { reportInput: true });
    if (result.success && Object.keys(errors).length === 0) return { values: result.data, errors: {} };
    for (const issue of result.error?.issues ?? []) {
      const field = fields.find((name) => name === fieldOf(issue.path.join(".")));
      if (field) errors[field] ??= { type: issue.code, message: issueText(t, issue) };
    }
    // Keyed by the form's own flat field names.
    return { values: {}, errors: errors as FieldErrors<Values> };
  };
}
