import { type FormEvent, useState } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { useDialogDraft } from "./dialog-draft";
import { setFieldErrors } from "./set-field-errors";

/**
 * Saves a form. Field errors of the server are shown at their fields, any other error is returned as `error`. After a
 * version conflict the form shows the newest values and `isStale` is true until the next save.
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
  useDialogDraft(form.formState.isDirty);

  const submit = form.handleSubmit(
    async (request) => {
      setError(null);
      setStale(false);
      try {
        await save(request);
      } catch (failure) {
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
