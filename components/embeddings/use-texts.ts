"use client";

import { useCallback } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { MOST_TEXTS } from "@/components/embeddings/texts";
import { useQuantities } from "../charts/use-quantities";
import { type DraftText, draftTexts } from "./draft";
import { LARGEST_FILE, readFiles } from "./read-files";

/** What one can do to the texts, each with its word to the visitor. */
export function useTexts(texts: readonly DraftText[], onTexts: (texts: readonly DraftText[]) => void) {
  const t = useTranslations("embeddings.texts");
  const say = useQuantities();

  const add = useCallback(
    (added: readonly string[]) => {
      const room = MOST_TEXTS - texts.length;
      onTexts([...texts, ...draftTexts(added.slice(0, room))]);
      const left = added.length - room;
      if (left > 0) toast.warning(t("leftOut", { count: left, most: MOST_TEXTS }));
      else if (added.length > 1) toast.success(t("added", { count: added.length }));
    },
    [texts, onTexts, t],
  );

  const addFiles = useCallback(
    async (files: readonly File[]) => {
      const { texts: read, refused } = await readFiles(files);
      if (read.length > 0) add(read);
      if (refused) toast.error(t(refused.fault, { name: refused.name, size: say.bytes(LARGEST_FILE) }));
    },
    [add, say, t],
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
