import { createContext, type FormEvent, useContext, useLayoutEffect, useState } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { type FieldErrorTranslator, ruleText } from "./rule-text";
import { useErrorToast, useIsMounted } from "./use-action";

/**
 * Shows the server's issues at their fields. Returns whether every issue has a field; otherwise the caller shows the
 * error above the form. `fieldOf` maps an issue's path to a field where the names differ.
 */
function setFieldErrors<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, "setError">,
  error: unknown,
  fields: readonly Path<Values>[],
  t: FieldErrorTranslator,
  fieldOf: (path: string) => string,
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

/** Tells the dialog around a form whether something was entered. */
export const DraftContext = createContext<(isDirty: boolean) => void>(() => undefined);

/** While `isDirty`, closing the form's dialog asks for confirmation. No effect outside a dialog. */
function useDialogDraft(isDirty: boolean): void {
  const report = useContext(DraftContext);
  // In a layout effect, so before the next event, which may be the Escape that closes the dialog.
  useLayoutEffect(() => report(isDirty), [report, isDirty]);
}

/**
 * Saves a form. Field errors of the server are shown at their fields, any other error is returned as `error`. After a
 * version conflict the form shows the newest values and `isStale` is true until the next save. If the form was
 * unmounted meanwhile, because its dialog was closed, the error is shown as a toast.
 */
export function useSaveForm<Values extends FieldValues, Request extends FieldValues>(
  form: UseFormReturn<Values, unknown, Request>,
  {
    fields,
    fieldOf = (path) => path,
    save,
    reload,
    onFailure,
    onFieldErrors,
  }: {
    fields: readonly Path<Values>[];
    /** The field of a request path, where the names differ. */
    fieldOf?(path: string): string;
    save(request: Request): Promise<void>;
    /** Called with each error; true: it is handled and not shown. */
    onFailure?(failure: unknown): boolean;
    /** Loads the newest values after a version conflict. */
    reload?(): Promise<Values>;
    onFieldErrors?(fields: readonly string[]): void;
  },
) {
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isStale, setStale] = useState(false);
  const isMounted = useIsMounted();
  const showError = useErrorToast();
  useDialogDraft(form.formState.isDirty);

  const submit = form.handleSubmit(
    async (request) => {
      setError(null);
      setStale(false);
      try {
        await save(request);
      } catch (failure) {
        if (!isMounted.current) return showError(failure);
        if (onFailure?.(failure)) return;
        // A conflict that names a field (a taken name) is not a version conflict.
        if (reload && isApiError(failure, "conflict") && failure.issues.length === 0) {
          form.reset(await reload());
          setStale(true);
          return;
        }
        if (!setFieldErrors(form, failure, fields, fieldError, fieldOf)) setError(failure);
        else if (isApiError(failure)) onFieldErrors?.(failure.issues.map((issue) => fieldOf(issue.path)));
      }
    },
    (errors) => onFieldErrors?.(Object.keys(errors)),
  );
  const onSubmit = (event: FormEvent) => void submit(event).catch(setError);
  return { error, isStale, onSubmit };
}
