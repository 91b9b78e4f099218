"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { toast } from "../ui/toast";
import { useErrorText } from "./call-error";

export function useIsMounted(): { readonly current: boolean } {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}

/**
 * Runs an action of the user, such as a request; returns whether it is running, and the error of the last run. If the
 * component was unmounted meanwhile, because its dialog was closed, the error is shown as a toast.
 */
export function useAction() {
  const isMounted = useIsMounted();
  const showError = useErrorToast();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await action();
    } catch (failure) {
      if (isMounted.current) setError(failure);
      else showError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}

/** Shows the error of a failed call about a record as a toast; `stale` is the text of a version conflict. */
export function useErrorToast(): (error: unknown, stale?: string) => void {
  const t = useTranslations("common.error");
  const errorText = useErrorText();
  return useCallback(
    (error, stale) => {
      if (stale && isApiError(error, "conflict")) toast.error(stale);
      else toast.error(isApiError(error, "not_found") ? t("gone") : errorText(error).message);
    },
    [t, errorText],
  );
}

/** Runs an action of the user and shows its error as a toast. */
export function useToastAction() {
  const showError = useErrorToast();
  const { isBusy, run } = useAction();
  return { isBusy, run: (action: () => Promise<unknown>) => run(() => action().catch(showError)) };
}

/**
 * Returns a function that calls `act`, except after the component was unmounted: a request that ends after its dialog
 * was closed must not close the next dialog.
 */
export function useWhileMounted<Args extends unknown[]>(
  act: (...args: Args) => void,
): (...args: Args) => void {
  const isMounted = useIsMounted();
  return (...args) => {
    if (isMounted.current) act(...args);
  };
}

/** After a change made in a dialog: loads the list again, closes the dialog and shows a message. */
export function finishChange(reload: () => void, close: () => void, done: string): void {
  reload();
  close();
  toast.success(done);
}

/** Changes an item; if it was changed since it was loaded (`conflict`), loads its newest version and changes that. */
export async function changeNewest<Item>(
  item: Item,
  loadNewest: () => Promise<Item>,
  change: (item: Item) => Promise<unknown>,
): Promise<void> {
  await change(item).catch(async (error) => {
    if (!isApiError(error, "conflict")) throw error;
    await change(await loadNewest());
  });
}

/** Shows the outcome of a change of a list's item as a toast, then loads the list again. */
export function useItemChange(reload: () => Promise<unknown>) {
  const showError = useErrorToast();
  return async (change: Promise<unknown>, done: string, stale?: string): Promise<void> => {
    try {
      await change;
      toast.success(done);
    } catch (failure) {
      showError(failure, stale);
    }
    await reload();
  };
}
