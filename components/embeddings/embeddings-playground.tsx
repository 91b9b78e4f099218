"use client";

import { ArrowRightIcon, InfoIcon } from "lucide-react";
import { type CSSProperties, useId, useState } from "react";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { Role } from "@/lib/contracts/console/user";
import { FailureNotice } from "../playground/failure-notice";
import { NoModel } from "../playground/no-model";
import { ShareButton } from "../playground/share-button";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { keepingFocus } from "../ui/keep-focus";
import { lazyPart } from "../ui/lazy-part";
import { Progress, Spinner } from "../ui/progress";
import { EXAMPLES, type Example } from "./draft";
import { writeEmbeddingsLink } from "./link";
import { gutterOf } from "./matrix-geometry";
import { SettingsBar } from "./settings-bar";
import { TextList } from "./text-list";
import type { ComparisonStatus } from "./use-comparison";
import { type EmbeddingsPlaygroundState, useEmbeddingsPlayground } from "./use-embeddings-playground";

// A first visit without texts does not need this code: it is loaded with the first texts or during the first call.
const importResults = () => import("./results");
const importVector = () => import("./vector-panel");
/** Loads the panels before the reply arrives. A failure is ignored here: the panel loads its code again. */
const preloadPanels = () => void Promise.all([importResults(), importVector()]).catch(() => undefined);
const Results = lazyPart(() => importResults().then((one) => one.Results));
const VectorPanel = lazyPart(() => importVector().then((one) => one.VectorPanel));
const ModelComparison = lazyPart(() => import("./model-comparison").then((one) => one.ModelComparison));
const CallCode = lazyPart(() => import("./call-code").then((one) => one.CallCode));

/** Minimum side of a matrix cell, in CSS pixels, at which the rows of the list are aligned with the matrix rows. */
const MIN_ROW_HEIGHT = 30;

type BuiltInEngine = "lexical" | "semantic";

interface PlaygroundProps {
  models: readonly GatewayModel[];
  /** The built-in engines by model. */
  engines: Readonly<Record<string, BuiltInEngine>>;
}

/** The page: texts at the left, the matrix in the middle, map and ranking at the right. */
export function EmbeddingsPlayground({ role, ...props }: PlaygroundProps & { role: Role }) {
  const t = useTranslations("embeddings");
  const page = useEmbeddingsPlayground(props.models, preloadPanels);
  if (props.models.length > 0) return <Playground {...props} page={page} />;
  return (
    <>
      <PageHeader title={t("title")} description={t("lead")} />
      <NoModel role={role} />
    </>
  );
}

interface PageProps extends PlaygroundProps {
  page: EmbeddingsPlaygroundState;
}

function Playground({ models, engines, page }: PageProps) {
  const t = useTranslations("embeddings");
  const { draft, call, model, status, comparison, focus } = page;
  const engine = model ? engines[model.name] : undefined;
  return (
    <div className="relative grid gap-5">
      <div className="-mb-5">
        <PageHeader
          title={t("title")}
          description={t("lead")}
          action={<ShareButton fragment={() => writeEmbeddingsLink(call, draft.query)} />}
        />
      </div>
      <SettingsBar models={models} page={page} />
      {engine ? <EngineNote key={engine} engine={engine} /> : null}
      {status.kind === "failed" ? <FailureNotice failure={status.failure} onRetry={page.retry} /> : null}
      <TextsAndResults models={models} page={page} />
      {comparison && !page.isStale ? (
        <ModelComparison comparison={comparison} models={models} focus={focus} />
      ) : null}
      {comparison || draft.texts.length > 0 ? (
        <div className="grid gap-x-6 gap-y-8 border-t pt-6 min-[87.5rem]:grid-cols-2">
          {comparison ? (
            <div inert={page.isStale} className={cn("min-w-0", page.isStale && "opacity-40")}>
              <VectorPanel comparison={comparison} focus={focus} />
            </div>
          ) : null}
          {draft.texts.length > 0 ? <CallCode call={call} /> : null}
        </div>
      ) : null}
      {page.isDropping ? <DropOverlay /> : null}
    </div>
  );
}

/** The texts, and beside them their comparison, or the panel that starts one. */
function TextsAndResults({ models, page }: Omit<PageProps, "engines">) {
  const { draft, comparison, focus, edit, isStale } = page;
  const { isGrouped, setGrouped, setCellSize, isAligned, rowStyle } = useAlignment(page);
  let overlay = isStale ? <StaleNotice onEmbed={page.start} /> : null;
  if (page.isEmbedding) overlay = <StatusPanel status={page.status} />;
  return (
    <div
      style={rowStyle}
      className="grid gap-x-6 gap-y-8 md:grid-cols-[16rem_minmax(0,1fr)] min-[87.5rem]:grid-cols-[17rem_minmax(0,1fr)_18rem]"
    >
      <TextList
        texts={draft.texts}
        order={isGrouped && comparison && !isStale ? comparison.clustering.order : null}
        focus={focus}
        isAligned={isAligned}
        edit={edit}
      />
      {comparison ? (
        <Results
          page={page}
          comparison={comparison}
          model={models.find((one) => one.name === comparison.call.model)}
          isGrouped={isGrouped}
          overlay={overlay}
          onGroupedChange={setGrouped}
          onCellSize={setCellSize}
        />
      ) : page.isRunning ? (
        <div className="grid min-h-80 place-items-center min-[87.5rem]:col-span-2">
          <StatusPanel status={page.status} />
        </div>
      ) : (
        <StartPanel count={draft.texts.length} onExample={page.startExample} />
      )}
    </div>
  );
}

/** The order of the matrix, and whether the rows of the text list are aligned with the matrix rows. */
function useAlignment({ draft, comparison, isStale }: EmbeddingsPlaygroundState) {
  const [isGrouped, setGrouped] = useState(false);
  const [cellSize, setCellSize] = useState<number | null>(null);
  const isAligned = comparison !== null && !isStale && cellSize !== null && cellSize >= MIN_ROW_HEIGHT;
  // React's type of `style` has no custom properties.
  const rowStyle = {
    "--band": `${gutterOf(draft.texts.length)}px`,
    ...(isAligned ? { "--row": `${cellSize}px` } : {}),
  } as CSSProperties;
  return { isGrouped, setGrouped, setCellSize, isAligned, rowStyle };
}

/** What a built-in model can and cannot compare; the details unfold. */
function EngineNote({ engine }: { engine: BuiltInEngine }) {
  const t = useTranslations(`embeddings.${engine}`);
  return (
    <details className="group justify-self-start rounded-md bg-info-soft px-3 py-2 text-sm text-ink">
      <summary className="flex flex-wrap items-center gap-x-2 rounded-sm [&::-webkit-details-marker]:hidden">
        <InfoIcon aria-hidden="true" className="size-4 shrink-0 text-info" />
        <span className="font-medium">{t("title")}</span>
        <span className="text-ink-muted underline decoration-line-strong underline-offset-4 group-open:hidden">
          {t("more")}
        </span>
      </summary>
      <p className="mt-1 max-w-[80ch] pb-1 pl-6 text-ink-muted">{t("text")}</p>
    </details>
  );
}

function DropOverlay() {
  const t = useTranslations("embeddings.texts");
  return (
    <div className="pointer-events-none fixed inset-4 z-50 grid place-items-center rounded-md border-2 border-dashed border-signal bg-ground/90">
      <p className="text-lg">{t("drop")}</p>
    </div>
  );
}

/** Shown over results that belong to other texts or settings. */
function StaleNotice({ onEmbed }: { onEmbed(): void }) {
  const t = useTranslations("embeddings.status");
  return (
    <div
      role="status"
      className="grid justify-items-center gap-3 rounded-md border bg-raised p-5 shadow-float"
    >
      <p className="text-base">{t("stale")}</p>
      <Button variant="outline" size="sm" onClick={keepingFocus(onEmbed)}>
        {t("staleAction")}
      </Button>
    </div>
  );
}

/** The running step and its progress. */
function StatusPanel({ status }: { status: ComparisonStatus }) {
  const t = useTranslations("embeddings.status");
  if (status.kind !== "calling" && status.kind !== "comparing") return null;
  const text =
    status.kind === "calling" ? t("calling") : t("comparing", { done: status.done, count: status.count });
  return (
    <div className="grid w-full max-w-72 gap-3 rounded-md bg-ground p-5">
      <p role="status" className="flex items-center justify-center gap-2 text-base text-ink-muted">
        <Spinner />
        {text}
      </p>
      {status.kind === "comparing" ? (
        <Progress label={text} value={status.done} max={status.count} tone="signal" />
      ) : null}
    </div>
  );
}

const EMPTY_MATRIX_SIZE = 12;

/** Shown before the first call: an empty matrix and example sets. */
function StartPanel({ count, onExample }: { count: number; onExample(example: Example): void }) {
  const t = useTranslations("embeddings");
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid min-w-0 content-start gap-6 md:col-span-1 min-[87.5rem]:col-span-2 min-[87.5rem]:grid-cols-[minmax(0,1fr)_19rem]"
    >
      <div className="relative grid place-items-center">
        <EmptyMatrix />
        <div className="col-start-1 row-start-1 grid max-w-80 gap-1 rounded-md bg-ground p-5 text-center">
          <h2 id={id} className="text-lg">
            {t(count > 0 ? "start.ready" : "start.title")}
          </h2>
          <p className="text-base text-ink-muted">
            {count > 0 ? t("start.readyText", { count }) : t("start.text")}
          </p>
        </div>
      </div>
      <div className="grid content-start gap-2">
        <h3 className="flex min-h-9 items-center text-lg">{t("start.examples")}</h3>
        <ul className="grid gap-2">
          {EXAMPLES.map((example) => (
            <li key={example}>
              <button
                type="button"
                onClick={keepingFocus(() => onExample(example))}
                className="group flex w-full items-center gap-3 rounded-md border bg-panel px-4 py-3 text-left transition-colors hover:border-line-strong hover:bg-hover"
              >
                <span className="grid flex-1 gap-0.5">
                  <span className="font-medium">{t(`example.${example}.title`)}</span>
                  <span className="text-sm text-ink-muted">{t(`example.${example}.about`)}</span>
                </span>
                <ArrowRightIcon
                  aria-hidden="true"
                  className="size-4 shrink-0 text-ink-faint group-hover:text-ink"
                />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function EmptyMatrix() {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${EMPTY_MATRIX_SIZE} ${EMPTY_MATRIX_SIZE}`}
      className="col-start-1 row-start-1 hidden w-full max-w-136 sm:block"
    >
      {Array.from({ length: EMPTY_MATRIX_SIZE * EMPTY_MATRIX_SIZE }, (_, at) => {
        const [row, column] = [Math.floor(at / EMPTY_MATRIX_SIZE), at % EMPTY_MATRIX_SIZE];
        return (
          <circle
            key={`${row},${column}`}
            cx={column + 0.5}
            cy={row + 0.5}
            r={row === column ? 0.2 : 0.14}
            className={row === column ? "fill-line" : "fill-hover"}
          />
        );
      })}
    </svg>
  );
}
