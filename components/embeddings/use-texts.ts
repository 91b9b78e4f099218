"use client";

import { useCallback } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { type DraftText, draftTexts } from "./draft";
import { MAX_FILE_BYTES, readFiles } from "./read-files";
import { MAX_TEXTS } from "./texts";

/** Edits of the list of texts, with the toasts that report them. */
export function useTexts(texts: readonly DraftText[], onTexts: (texts: readonly DraftText[]) => void) {
  const t = useTranslations("embeddings.texts");
  const format = useAmounts();

  const add = useCallback(
    (added: readonly string[]) => {
      const available = MAX_TEXTS - texts.length;
      onTexts([...texts, ...draftTexts(added.slice(0, available))]);
      const excess = added.length - available;
      if (excess > 0) toast.warning(t("leftOut", { count: excess, max: MAX_TEXTS }));
      else if (added.length > 1) toast.success(t("added", { count: added.length }));
    },
    [texts, onTexts, t],
  );

  const addFiles = useCallback(
    async (files: readonly File[]) => {
      const { texts: read, rejected } = await readFiles(files);
      if (read.length > 0) add(read);
      if (rejected)
        toast.error(t(rejected.error, { name: rejected.name, size: format.bytes(MAX_FILE_BYTES) }));
    },
    [add, format, t],
  );

  const change = useCallback(
    (id: number, text: string) => onTexts(texts.map((one) => (one.id === id ? { id, text } : one))),
    [texts, onTexts],
  );
  const remove = useCallback((id: number) => onTexts(texts.filter((one) => one.id !== id)), [texts, onTexts]);
  const clear = useCallback(() => {
    onTexts([]);
    toast(t("cleared", { count: texts.length }), {
      action: { label: t("undo"), onClick: () => onTexts(texts) },
    });
  }, [texts, onTexts, t]);

  return { add, addFiles, change, remove, clear };
}
