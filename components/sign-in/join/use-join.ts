"use client";

import { useState } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { setFieldErrors } from "../../forms/set-field-errors";

/**
 * Sends a form that signs the user in, then opens the console. Field errors of the server are shown at their fields, any
 * other error is returned as `error`.
 */
export function useJoin<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  {
    fields,
    send,
    onInvalidLink,
    showFieldError,
  }: {
    fields: readonly Path<Values>[];
    send(values: Values): Promise<unknown>;
    /** The link has become invalid. */
    onInvalidLink?(): void;
    /** Shows an error that belongs to a field but does not name it; false for any other error. */
    showFieldError(failure: unknown): boolean;
  },
) {
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isLeaving, setLeaving] = useState(false);
  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await send(values);
      setLeaving(true);
      // Not a client navigation: the page must belong to the new session, and Back must not return to a used link.
      window.location.replace("/");
    } catch (failure) {
      if (onInvalidLink && isApiError(failure, "not_found")) return onInvalidLink();
      if (!showFieldError(failure) && !setFieldErrors(form, failure, fields, fieldError)) setError(failure);
    }
  });
  return { submit, error, isBusy: form.formState.isSubmitting || isLeaving };
}
