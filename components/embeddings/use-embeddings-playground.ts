"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { type DraftText, draftTexts, type Example, isSameCall } from "./draft";
import { createFocusStore, type FocusStore } from "./focus-store";
import { linesOf } from "./texts";
import { useComparison } from "./use-comparison";
import { useEmbeddingsDraft } from "./use-embeddings-draft";
import { useTexts } from "./use-texts";

export type EmbeddingsPlaygroundState = ReturnType<typeof useEmbeddingsPlayground>;

/**
 * State of the page: the draft, the call and its comparison, and the focused texts. `onStart` runs before each call of
 * the texts.
 */
export function useEmbeddingsPlayground(models: readonly GatewayModel[], onStart: () => void) {
  const t = useTranslations("embeddings.example");
  const { draft, change, call, model } = useEmbeddingsDraft(models);
  const hasTaskTypes = useCallback(
    (name: string) => models.some((one) => one.name === name && one.hasTaskTypes),
    [models],
  );
  const comparing = useComparison(hasTaskTypes);
  const { comparison, status, embed, rank, clear } = comparing;
  const [focus] = useState(createFocusStore);
  const { texts, query } = draft;

  const start = useCallback(() => {
    if (call.texts.length === 0) return;
    focus.pin(null);
    onStart();
    void embed(call, query);
  }, [call, query, embed, focus, onStart]);
  useCtrlEnter(start);

  const startExample = (example: Example) => {
    const exampleTexts = linesOf(t(`${example}.texts`));
    const exampleQuery = t(`${example}.query`);
    change({ texts: draftTexts(exampleTexts), query: exampleQuery });
    focus.pin(null);
    onStart();
    void embed({ ...call, texts: exampleTexts }, exampleQuery);
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
    /** The call of the texts is running, not only that of a query. */
    isEmbedding: comparing.isRunning && !isRanking,
    /** The comparison belongs to other texts or settings than the draft. */
    isStale: comparison !== null && !isSameCall(comparison.call, call),
  };
}

/** Edits of the texts, by hand and by files dropped on the page. */
function useTextEdits({
  texts,
  focus,
  change,
  clear,
}: Pick<ReturnType<typeof useEmbeddingsDraft>, "change"> &
  Pick<ReturnType<typeof useComparison>, "clear"> & { texts: readonly DraftText[]; focus: FocusStore }) {
  const setTexts = useCallback(
    (next: readonly DraftText[]) => {
      // The focus holds indexes, which have just changed.
      focus.pin(null);
      if (next.length === 0) clear();
      // A query without texts would be stale.
      change(next.length === 0 ? { texts: next, query: "" } : { texts: next });
    },
    [change, clear, focus],
  );
  const edit = useTexts(texts, setTexts);
  const isDropping = useFileDrop((files) => void edit.addFiles(files));
  return { edit, isDropping };
}

function useCtrlEnter(onPress: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      onPress();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onPress]);
}

/** Accepts files dropped anywhere on the page; returns true while files are dragged over it. */
function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    // A child is entered before its parent is left, so the page is left when every entered element is.
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const onOver = (event: DragEvent) => {
      // Otherwise the browser would navigate to the file.
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    const events = [
      ["dragenter", onEnter],
      ["dragleave", onLeave],
      ["dragover", onOver],
      ["drop", onDrop],
    ] as const;
    for (const [name, listen] of events) window.addEventListener(name, listen);
    return () => {
      for (const [name, listen] of events) window.removeEventListener(name, listen);
    };
  }, []);
  return isOver;
}
