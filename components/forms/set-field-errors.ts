import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { isApiError } from "@/lib/client/api-error";
import { type FieldErrorTranslator, ruleText } from "./rule-text";

/**
 * Shows the server's issues at their fields. Returns whether every issue has a field; otherwise the caller shows the
 * error above the form. `fieldOf` maps an issue's path to a field where the names differ.
 */
export function setFieldErrors<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, "setError">,
  error: unknown,
  fields: readonly Path<Values>[],
  t: FieldErrorTranslator,
  fieldOf: (path: string) => string = (path) => path,
): boolean {
  if (!isApiError(error) || error.issues.length === 0) return false;
  let isFirst = true;
  let areAllSet = true;
  for (const issue of error.issues) {
    const field = fields.find((name) => name === fieldOf(issue.path));
    if (!field) {
      areAllSet = false;
      continue;
    }
    form.setError(field, { type: "server", message: ruleText(t, issue.message) }, { shouldFocus: isFirst });
    isFirst = false;
  }
  return areAllSet;
}
