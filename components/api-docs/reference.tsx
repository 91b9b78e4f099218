"use client";

import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import {
  type OpenApiDocument,
  type Operation,
  readOperations,
  SURFACES,
  searchOperations,
} from "@/components/api-docs/openapi/document";
import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { setQueryParam } from "@/lib/client/query-params";
import { useWindowEvent } from "@/lib/client/use-window-event";
import { CallError } from "../forms/call-error";
import { SearchField } from "../ui/search-field";
import { OperationEntry } from "./operation-entry";
import { ReferenceSkeleton } from "./reference-skeleton";

async function fetchDocument(path: string): Promise<OpenApiDocument> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // The server generates the document from its own schemas.
  return (await response.json()) as OpenApiDocument;
}

/** Every endpoint of this server, grouped by API and filtered by the `q` query parameter. */
export function Reference({ origin, models }: { origin: string; models: ExampleModels }) {
  const t = useTranslations("apiDocs");
  const q = useSearchParams().get("q") ?? "";
  const { data, error, mutate } = useSWR("/openapi.json", fetchDocument, {
    revalidateOnFocus: false,
  });
  const operations = useMemo(() => (data ? readOperations(data) : []), [data]);
  const matches = useMemo(() => searchOperations(operations, q), [operations, q]);
  // If a later load fails, the list stays, and with it what was entered in the forms.
  if (error && !data)
    return <CallError error={error} title={t("loadFailed")} onRetry={() => void mutate()} />;
  if (!data) return <ReferenceSkeleton />;
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          label={t("search")}
          value={q}
          onValueChange={(text) => setQueryParam("q", text)}
          className="w-full max-w-sm sm:max-w-sm"
        />
        <p role="status" className="text-sm text-ink-faint">
          {matches.length > 0 ? t("count", { count: matches.length }) : t("noMatch", { q })}
        </p>
      </div>
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-10">
        <EndpointMenu operations={matches} />
        <div className="grid min-w-0 grid-cols-1 content-start gap-8">
          <Operations document={data} operations={matches} origin={origin} models={models} />
        </div>
      </div>
    </div>
  );
}

/** Links to the endpoints, grouped by API. Hidden on narrow screens. */
function EndpointMenu({ operations }: { operations: readonly Operation[] }) {
  const t = useTranslations("apiDocs");
  const linked = useFragment();
  return (
    <nav
      aria-label={t("menu")}
      className="hidden max-h-[calc(100dvh-3rem)] overflow-y-auto overscroll-contain text-sm lg:sticky lg:top-4 lg:grid lg:content-start lg:gap-5 lg:self-start lg:pr-2"
    >
      {SURFACES.map((surface) => {
        const ofSurface = operations.filter((operation) => operation.surface === surface);
        if (ofSurface.length === 0) return null;
        return (
          <div key={surface} className="grid grid-cols-1 gap-1">
            <a
              href={`#surface-${surface}`}
              className="flex justify-between gap-2 font-medium hover:underline"
            >
              {t(`surface.${surface}`)}
              <span className="tabular font-normal text-ink-faint">{ofSurface.length}</span>
            </a>
            <ul className="grid grid-cols-1 border-l">
              {ofSurface.map(({ anchor, method, path, summary }) => (
                <li key={anchor}>
                  <a
                    href={`#${anchor}`}
                    title={`${method} ${path}`}
                    aria-current={linked === anchor ? "location" : undefined}
                    className="-ml-px block border-l border-transparent py-1 pl-3 leading-snug text-pretty text-ink-muted hover:text-ink aria-[current]:border-ink aria-[current]:text-ink"
                  >
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

const readFragment = () => window.location.hash.slice(1);

/** The URL's fragment without `#`. Safe to read at the first render: the list is rendered only in the browser. */
function useFragment(): string {
  const [fragment, setFragment] = useState(readFragment);
  useWindowEvent("hashchange", () => setFragment(readFragment()));
  return fragment;
}

function Operations({
  document,
  operations,
  origin,
  models,
}: {
  document: OpenApiDocument;
  operations: readonly Operation[];
  origin: string;
  models: ExampleModels;
}) {
  const t = useTranslations("apiDocs");
  const linked = useFragment();
  return SURFACES.map((surface) => {
    const ofSurface = operations.filter((operation) => operation.surface === surface);
    if (ofSurface.length === 0) return null;
    return (
      <section key={surface} aria-labelledby={`surface-${surface}`} className="grid grid-cols-1 gap-3">
        <div className="grid gap-0.5">
          <h3 id={`surface-${surface}`} className="scroll-mt-4 text-base font-medium">
            {t(`surface.${surface}`)}
          </h3>
          <p className="text-sm text-ink-muted">{t(`surfaceText.${surface}`)}</p>
        </div>
        <ul className="divide-y rounded-md border bg-panel">
          {ofSurface.map((operation) => (
            <OperationEntry
              key={operation.anchor}
              document={document}
              operation={operation}
              origin={origin}
              models={models}
              isLinked={linked === operation.anchor}
            />
          ))}
        </ul>
      </section>
    );
  });
}
