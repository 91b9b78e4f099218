"use client";

import { useState } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { isApiError } from "@/lib/client/api-error";
import { useSaveForm } from "../../forms/use-save-form";

/** Sends a form that signs the user in, then opens the console. */
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
  const [isLeaving, setLeaving] = useState(false);
  const { error, onSubmit } = useSaveForm(form, {
    fields,
    save: async (values) => {
      await send(values);
      setLeaving(true);
      // Not a client navigation: the page must belong to the new session, and Back must not return to a used link.
      window.location.replace("/");
    },
    onFailure: (failure) => {
      if (!onInvalidLink || !isApiError(failure, "not_found")) return showFieldError(failure);
      onInvalidLink();
      return true;
    },
  });
  return { onSubmit, error, isBusy: form.formState.isSubmitting || isLeaving };
}
