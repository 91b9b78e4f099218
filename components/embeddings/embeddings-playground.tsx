"use client";

import dynamic from "next/dynamic";
import { type CSSProperties, useCallback, useEffect, useMemo, useState } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { embeddingsSamples } from "@/lib/client/code-samples-embeddings";
import { writeEmbeddingsLink } from "@/lib/client/embeddings-link";
import { MOST_TEXTS } from "@/lib/client/embeddings-texts";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { FailureNotice } from "../playground/failure-notice";
import { ShareButton } from "../playground/share-button";
import { useQuantities } from "../playground/use-quantities";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { EmptyState } from "../ui/empty-state";
import { Notice } from "../ui/notice";
import { CallFacts } from "./call-facts";
import { type DraftText, draftTexts, type Example, isSameCall, textsOfExample } from "./draft";
import { createFocusStore } from "./focus";
import { LexicalNote } from "./lexical-note";
import { Matrix } from "./matrix";
import { gutterOf } from "./matrix-geometry";
import { NearPanel } from "./near-panel";
import { PointMap } from "./point-map";
import { LARGEST_FILE, readFiles } from "./read-files";
import { Readout } from "./readout";
import { SettingsBar } from "./settings-bar";
import { StartPanel } from "./start-panel";
import { TextList } from "./text-list";
import { useComparison } from "./use-comparison";
import { useEmbeddingsDraft } from "./use-embeddings-draft";
import { useFileDrop } from "./use-file-drop";
import { WorkState } from "./work-state";

const CodePanel = dynamic(() => import("../playground/code-panel").then((one) => one.CodePanel), {
  ssr: false,
});
const VectorPanel = dynamic(() => import("./vector-panel").then((one) => one.VectorPanel), { ssr: false });

/** Rows of the list stand beside the matrix's while a cell's side makes a row. */
const SMALLEST_ROW = 30;

/** The whole page: texts at the left, the matrix in the middle, map and ranking at the right. */
export function EmbeddingsPlayground({
  models,
  lexicalModels,
}: {
  models: readonly GatewayModel[];
  lexicalModels: readonly string[];
}) {
  const t = useTranslations("embeddings");
  const tPlayground = useTranslations("playground");
  const say = useQuantities();
  const { draft, change, call, model } = useEmbeddingsDraft(models);
  const { work, isRunning, comparison, answer, embed, ask, stop, clear } = useComparison();
  const [focus] = useState(createFocusStore);
  const [isAlike, setAlike] = useState(false);
  const [cell, setCell] = useState<number | null>(null);
  const { texts } = draft;
  const { query } = draft;

  const isStale = comparison !== null && !isSameCall(comparison.call, call);
  const start = useCallback(() => {
    if (call.texts.length === 0) return;
    focus.pin(null);
    void embed(call, query);
  }, [call, query, embed, focus]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      start();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [start]);

  const setTexts = useCallback((next: readonly DraftText[]) => change({ texts: next }), [change]);
  const add = useCallback(
    (added: readonly string[]) => {
      const room = MOST_TEXTS - texts.length;
      setTexts([...texts, ...draftTexts(added.slice(0, room))]);
      const left = added.length - room;
      if (left > 0) toast.warning(t("texts.leftOut", { count: left, most: MOST_TEXTS }));
      else if (added.length > 1) toast.success(t("texts.added", { count: added.length }));
    },
    [texts, setTexts, t],
  );
  const addFiles = useCallback(
    async (files: File[]) => {
      const read = await readFiles(files);
      if (read.texts.length > 0) add(read.texts);
      if (read.refused) {
        const { fault, name } = read.refused;
        toast.error(t(`texts.${fault}`, { name, size: say.bytes(LARGEST_FILE) }));
      }
    },
    [add, say, t],
  );
  const isDropping = useFileDrop((files) => void addFiles(files));

  const changeText = useCallback(
    (id: number, text: string) => setTexts(texts.map((one) => (one.id === id ? { id, text } : one))),
    [texts, setTexts],
  );
  const removeText = useCallback(
    (id: number) => {
      focus.pin(null);
      setTexts(texts.filter((one) => one.id !== id));
    },
    [texts, setTexts, focus],
  );
  const clearTexts = () => {
    const removed = texts;
    focus.pin(null);
    setTexts([]);
    clear();
    toast(t("texts.cleared", { count: removed.length }), {
      action: { label: t("texts.undo"), onClick: () => setTexts(removed) },
    });
  };
  const begin = (example: Example) => {
    const next = textsOfExample(t(`example.${example}.texts`));
    const ask = t(`example.${example}.query`);
    change({ texts: draftTexts(next), query: ask });
    focus.pin(null);
    void embed({ ...call, texts: next }, ask);
  };

  const samples = useMemo(
    () => ((comparison && !isStale ? comparison.call : call).texts.length === 0 ? null : call),
    [comparison, isStale, call],
  );

  if (models.length === 0) {
    return (
      <>
        <PageHeader title={t("title")} description={t("lead")} />
        <EmptyState title={tPlayground("noModel.title")}>{tPlayground("noModel.text")}</EmptyState>
      </>
    );
  }

  const isBeside = comparison !== null && !isStale && cell !== null && cell >= SMALLEST_ROW;
  // Custom properties are not in React's type of style.
  const band = {
    "--band": `${gutterOf(texts.length)}px`,
    ...(isBeside ? { "--row": `${cell}px` } : {}),
  } as CSSProperties;
  const isFirst = comparison === null;
  return (
    <div className="relative grid gap-5">
      <div className="-mb-5">
        <PageHeader
          title={t("title")}
          description={t("lead")}
          action={<ShareButton fragment={() => writeEmbeddingsLink(call, query)} />}
        />
      </div>
      <SettingsBar
        models={models}
        model={model}
        draft={draft}
        isRunning={isRunning}
        onChange={change}
        onEmbed={start}
        onStop={stop}
      />
      {model && lexicalModels.includes(model.name) ? <LexicalNote /> : null}
      {work.kind === "failed" ? (
        <FailureNotice
          failure={work.failure}
          onRetry={() => (work.what === "query" && comparison ? void ask(comparison, query) : start())}
        />
      ) : null}
      {isStale && !isRunning && work.kind !== "failed" ? (
        <Notice tone="warn" isLive>
          <span className="flex flex-wrap items-center justify-between gap-2">
            {t("status.stale")}
            <Button variant="outline" size="sm" onClick={start} disabled={texts.length === 0}>
              {t("status.staleAction")}
            </Button>
          </span>
        </Notice>
      ) : null}
      <div
        style={band}
        className="grid gap-x-6 gap-y-8 md:grid-cols-[16rem_minmax(0,1fr)] min-[87.5rem]:grid-cols-[17rem_minmax(0,1fr)_18rem]"
      >
        <TextList
          texts={texts}
          order={isAlike && comparison && !isStale ? comparison.alike : null}
          focus={focus}
          isBeside={isBeside}
          onAdd={add}
          onFiles={(files) => void addFiles(files)}
          onChange={changeText}
          onRemove={removeText}
          onClear={clearTexts}
        />
        {isFirst && !isRunning ? <StartPanel count={texts.length} onExample={begin} /> : null}
        {isFirst && isRunning ? (
          <div className="grid min-h-80 place-items-center min-[87.5rem]:col-span-2">
            <WorkState work={work} />
          </div>
        ) : null}
        {comparison ? (
          <>
            <div className="relative grid min-w-0 content-start gap-4">
              <div className={cn("grid gap-4 transition-opacity", (isStale || isRunning) && "opacity-45")}>
                <Matrix
                  comparison={comparison}
                  focus={focus}
                  isAlike={isAlike}
                  onAlike={setAlike}
                  onCell={setCell}
                />
                <Readout comparison={comparison} focus={focus} />
                <CallFacts
                  comparison={comparison}
                  model={models.find((one) => one.name === comparison.call.model)}
                />
              </div>
              {isRunning && !(work.kind === "calling" && work.what === "query") ? (
                <div className="absolute inset-0 grid place-items-center">
                  <WorkState work={work} />
                </div>
              ) : null}
            </div>
            <div className="grid min-w-0 content-start gap-x-6 gap-y-8 md:col-span-2 md:grid-cols-2 min-[87.5rem]:col-span-1 min-[87.5rem]:grid-cols-1">
              {texts.length > 2 ? <PointMap comparison={comparison} answer={answer} focus={focus} /> : null}
              <NearPanel
                comparison={comparison}
                answer={answer}
                focus={focus}
                query={query}
                isAsking={work.kind === "calling" && work.what === "query"}
                onQuery={(next) => change({ query: next })}
                onAsk={() => void ask(comparison, query)}
              />
            </div>
          </>
        ) : null}
      </div>
      {comparison || samples ? (
        <div className="grid gap-x-6 gap-y-8 border-t pt-6 min-[87.5rem]:grid-cols-2">
          {comparison ? <VectorPanel comparison={comparison} focus={focus} /> : null}
          {samples ? <CodePanel samples={embeddingsSamples(samples, window.location.origin)} /> : null}
        </div>
      ) : null}
      {isDropping ? (
        <div className="pointer-events-none fixed inset-4 z-50 grid place-items-center rounded-md border-2 border-dashed border-signal bg-ground/90">
          <p className="text-lg">{t("texts.drop")}</p>
        </div>
      ) : null}
    </div>
  );
}
