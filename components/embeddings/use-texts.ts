"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { toast } from "../ui/toast";
import { type DraftText, draftTexts } from "./draft";
import { MAX_TEXTS, textsOfFile } from "./texts";

/** More than the gateway accepts in one call. */
const MAX_FILE_BYTES = 16_000_000;

type FileError = "notText" | "tooLarge" | "emptyFile";

interface ReadFiles {
  texts: string[];
  /** The first file that could not be used, and why. */
  rejected: { name: string; error: FileError } | null;
}

function isText(file: File): boolean {
  return /\.(txt|csv|tsv|md|text|log)$/i.test(file.name) || file.type.startsWith("text/");
}

/** Reads the texts of dropped or chosen files, in order. */
async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const read: ReadFiles = { texts: [], rejected: null };
  for (const file of files) {
    const reject = (error: FileError) => {
      read.rejected ??= { name: file.name, error };
    };
    if (!isText(file)) reject("notText");
    else if (file.size > MAX_FILE_BYTES) reject("tooLarge");
    else {
      const texts = textsOfFile(file.name, await file.text());
      if (texts.length === 0) reject("emptyFile");
      read.texts.push(...texts);
    }
  }
  return read;
}

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
