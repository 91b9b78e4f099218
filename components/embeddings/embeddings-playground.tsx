"use client";

import dynamic from "next/dynamic";
import { type CSSProperties, useCallback, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { writeEmbeddingsLink } from "@/components/embeddings/link";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { FailureNotice } from "../playground/failure-notice";
import { ShareButton } from "../playground/share-button";
import { PageHeader } from "../shell/page-header";
import { EmptyState } from "../ui/empty-state";
import { type DraftText, draftTexts, type Example, isSameCall, textsOfExample } from "./draft";
import { createFocusStore } from "./focus";
import { LexicalNote } from "./lexical-note";
import { gutterOf } from "./matrix-geometry";
import { SettingsBar } from "./settings-bar";
import { StartPanel } from "./start-panel";
import { TextList } from "./text-list";
import { useComparison } from "./use-comparison";
import { useEmbeddingsDraft } from "./use-embeddings-draft";
import { useFileDrop } from "./use-file-drop";
import { useTexts } from "./use-texts";
import { StaleNotice, WorkState } from "./work-state";

// A first visit shows none of these: they load with the first texts, or while the first call is under way.
const importResults = () => import("./results");
const importVector = () => import("./vector-panel");
/** Ahead of the reply; where it fails, the panel itself asks again. */
const fetchPanels = () => void Promise.all([importResults(), importVector()]).catch(() => undefined);
const Results = dynamic(() => importResults().then((one) => one.Results), { ssr: false });
const VectorPanel = dynamic(() => importVector().then((one) => one.VectorPanel), { ssr: false });
const CallCode = dynamic(() => import("./call-code").then((one) => one.CallCode), { ssr: false });

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
    fetchPanels();
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

  const setTexts = useCallback(
    (next: readonly DraftText[]) => {
      // What is lit names texts by their place, which has just changed.
      focus.pin(null);
      if (next.length === 0) clear();
      // A query belongs to its texts.
      change(next.length === 0 ? { texts: next, query: "" } : { texts: next });
    },
    [change, clear, focus],
  );
  const edit = useTexts(texts, setTexts);
  const isDropping = useFileDrop((files) => void edit.addFiles(files));

  const begin = (example: Example) => {
    const next = textsOfExample(t(`example.${example}.texts`));
    const ask = t(`example.${example}.query`);
    change({ texts: draftTexts(next), query: ask });
    focus.pin(null);
    fetchPanels();
    void embed({ ...call, texts: next }, ask);
  };

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
  const isBusy = isRunning && !(work.kind === "calling" && work.what === "query");
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
      <div
        style={band}
        className="grid gap-x-6 gap-y-8 md:grid-cols-[16rem_minmax(0,1fr)] min-[87.5rem]:grid-cols-[17rem_minmax(0,1fr)_18rem]"
      >
        <TextList
          texts={texts}
          order={isAlike && comparison && !isStale ? comparison.alike : null}
          focus={focus}
          isBeside={isBeside}
          onAdd={edit.add}
          onFiles={(files) => void edit.addFiles(files)}
          onChange={edit.change}
          onRemove={edit.remove}
          onClear={edit.clear}
        />
        {isFirst && !isRunning ? <StartPanel count={texts.length} onExample={begin} /> : null}
        {isFirst && isRunning ? (
          <div className="grid min-h-80 place-items-center min-[87.5rem]:col-span-2">
            <WorkState work={work} />
          </div>
        ) : null}
        {comparison ? (
          <Results
            comparison={comparison}
            answer={answer}
            model={models.find((one) => one.name === comparison.call.model)}
            focus={focus}
            isAlike={isAlike}
            query={query}
            isAsking={work.kind === "calling" && work.what === "query"}
            veil={isBusy ? <WorkState work={work} /> : isStale ? <StaleNotice onEmbed={start} /> : null}
            onAlike={setAlike}
            onCell={setCell}
            onQuery={(next) => change({ query: next })}
            onAsk={() => void ask(comparison, query)}
          />
        ) : null}
      </div>
      {comparison || texts.length > 0 ? (
        <div className="grid gap-x-6 gap-y-8 border-t pt-6 min-[87.5rem]:grid-cols-2">
          {comparison ? <VectorPanel comparison={comparison} focus={focus} /> : null}
          {texts.length > 0 ? <CallCode call={call} /> : null}
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
