"use client";

import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { EmbeddingsCall } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { isComposing } from "@/lib/client/is-composing";
import { useWindowEvent } from "@/lib/client/use-window-event";
import { useAmounts } from "../charts/use-amounts";
import { toast } from "../ui/toast";
import { type DraftText, draftTexts, type Example, isSameCall } from "./draft";
import { createFocusStore, type FocusStore } from "./focus-store";
import { linesOf, MAX_TEXTS, textsOfFile } from "./texts";
import { useComparison } from "./use-comparison";
import { useEmbeddingsDraft } from "./use-embeddings-draft";

export type EmbeddingsPlaygroundState = ReturnType<typeof useEmbeddingsPlayground>;

/**
 * State of the page: the draft, the call and its comparison, and the focused texts. `onStart` is called before each
 * call that embeds the texts.
 */
export function useEmbeddingsPlayground(models: readonly GatewayModel[], onStart: () => void) {
  const t = useTranslations("embeddings.example");
  const { draft, change, call, model } = useEmbeddingsDraft(models);
  const comparing = useComparison((name) => models.some((one) => one.name === name && one.hasTaskTypes));
  const { comparison, status, embed, rank, clear } = comparing;
  const [focus] = useState(createFocusStore);
  const { texts, query } = draft;

  const embedNow = (next: EmbeddingsCall, nextQuery: string) => {
    focus.pin(null);
    onStart();
    void embed(next, nextQuery);
  };
  const start = () => {
    if (call.texts.length === 0) return false;
    embedNow(call, query);
    return true;
  };
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
    if (isDialogOpen()) return;
    event.preventDefault();
    if (!comparing.isRunning) start();
  });

  const startExample = (example: Example) => {
    const exampleTexts = linesOf(t(`${example}.texts`));
    const exampleQuery = t(`${example}.query`);
    change({ texts: draftTexts(exampleTexts), query: exampleQuery });
    embedNow({ ...call, texts: exampleTexts }, exampleQuery);
  };

  const { edit, isDropping } = useTextEdits({ texts, focus, change, clear });

  const rankTexts = () => {
    if (comparison) void rank(comparison, query);
  };
  const retry = () => {
    if (status.kind === "failed" && status.input === "query" && comparison) rankTexts();
    else start();
  };
  const isRanking = status.kind === "calling" && status.input === "query";
  return {
    ...comparing,
    draft,
    change,
    call,
    model,
    focus,
    edit,
    isDropping,
    start,
    startExample,
    rankTexts,
    retry,
    isRanking,
    /** The texts are being embedded or compared, not only a query. */
    isEmbedding: comparing.isRunning && !isRanking,
    /** The comparison belongs to other texts or settings than the draft. */
    isStale: comparison !== null && !isSameCall(comparison.call, call),
  };
}

/** Edits of the texts, by hand and by files dropped on the page, with the toasts that report them. */
function useTextEdits({
  texts,
  focus,
  change,
  clear,
}: Pick<ReturnType<typeof useEmbeddingsDraft>, "change"> &
  Pick<ReturnType<typeof useComparison>, "clear"> & { texts: readonly DraftText[]; focus: FocusStore }) {
  const t = useTranslations("embeddings.texts");
  const format = useAmounts();
  /** The texts of the last render. Reading files and Undo finish later, when the user may have made other edits. */
  const latest = useRef(texts);
  useLayoutEffect(() => {
    latest.current = texts;
  }, [texts]);

  const setTexts = useCallback(
    (next: readonly DraftText[]) => {
      // The focus holds indexes, which have just changed.
      focus.pin(null);
      if (next.length === 0) clear();
      // Without texts there is nothing to query.
      change(next.length === 0 ? { texts: next, query: "" } : { texts: next });
    },
    [change, clear, focus],
  );
  /** Returns as many of the added texts as fit within MAX_TEXTS; warns the user about the others. */
  const fitting = <Text>(added: readonly Text[]): readonly Text[] => {
    const available = MAX_TEXTS - latest.current.length;
    const excess = added.length - available;
    if (excess > 0) toast.warning(t("leftOut", { count: excess, max: MAX_TEXTS }));
    return added.slice(0, available);
  };
  const add = (added: readonly string[]) => {
    const texts = fitting(added);
    setTexts([...latest.current, ...draftTexts(texts)]);
    if (texts.length === added.length && added.length > 1) toast.success(t("added", { count: added.length }));
  };
  const addFiles = async (files: readonly File[]) => {
    const { texts: read, rejected } = await readFiles(files);
    if (read.length > 0) add(read);
    if (rejected) toast.error(t(rejected.error, { name: rejected.name, size: format.bytes(MAX_FILE_BYTES) }));
  };
  const isDropping = useFileDrop((files) => void addFiles(files));
  const edit = {
    add,
    addFiles,
    // Stable, because `change` and `remove` are props of memoised rows.
    change: useCallback(
      (id: number, text: string) =>
        setTexts(latest.current.map((one) => (one.id === id ? { id, text } : one))),
      [setTexts],
    ),
    remove: useCallback((id: number) => setTexts(latest.current.filter((one) => one.id !== id)), [setTexts]),
    clear: () => {
      setTexts([]);
      const undo = () => setTexts([...fitting(texts), ...latest.current]);
      toast(t("cleared", { count: texts.length }), { action: { label: t("undo"), onClick: undo } });
    },
  };
  return { edit, isDropping };
}

/** A dialog over the page handles its own keys and drops. */
const isDialogOpen = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;

/** Accepts files dropped anywhere on the page, unless a dialog is open; true while files are dragged over the page. */
function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  // The pointer enters a child before it leaves the parent: it is off the page once it has left all entered elements.
  const depth = useRef(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  useWindowEvent("dragenter", (event) => {
    if (!hasFiles(event)) return;
    // Counted over a dialog too: leaving it is counted as well.
    depth.current += 1;
    if (!isDialogOpen()) setOver(true);
  });
  useWindowEvent("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth.current -= 1;
    if (depth.current <= 0) setOver(false);
  });
  useWindowEvent("dragover", (event) => {
    // Otherwise the browser would navigate to the file.
    if (hasFiles(event)) event.preventDefault();
  });
  useWindowEvent("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    if (!isDialogOpen()) onFiles([...(event.dataTransfer?.files ?? [])]);
  });
  return isOver;
}

/** Maximum file size in bytes: more than the gateway accepts in one call. */
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
export async function readFiles(files: readonly File[]): Promise<ReadFiles> {
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
      read.texts = read.texts.concat(texts);
    }
  }
  return read;
}
