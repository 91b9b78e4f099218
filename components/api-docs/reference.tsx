"use client";

import { SearchIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useState } from "react";
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
import { CallError } from "../forms/call-error";
import { Input } from "../ui/input";
import { OperationEntry } from "./operation-entry";
import { ReferenceSkeleton } from "./reference-skeleton";

async function readDocument(path: string): Promise<OpenApiDocument> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // Our own document.
  return (await response.json()) as OpenApiDocument;
}

/** Every address of this server, by surface; one opens at a time that it is linked to or pressed. */
export function Reference({ origin, models }: { origin: string; models: ExampleModels }) {
  const t = useTranslations("apiDocs");
  const q = useSearchParams().get("q") ?? "";
  const { data, error, mutate } = useSWR<OpenApiDocument>("/openapi.json", readDocument, {
    revalidateOnFocus: false,
  });
  const all = useMemo(() => (data ? readOperations(data) : []), [data]);
  const found = useMemo(() => searchOperations(all, q), [all, q]);
  if (error) return <CallError error={error} title={t("loadFailed")} onRetry={() => void mutate()} />;
  if (!data) return <ReferenceSkeleton />;
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="flex flex-wrap items-center gap-3">
        <div className="relative w-full max-w-sm">
          <SearchIcon
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-faint"
          />
          <Input
            type="search"
            aria-label={t("search")}
            placeholder={t("search")}
            value={q}
            onChange={(event) => setQueryParam("q", event.target.value)}
            className="pl-9"
          />
        </div>
        <p role="status" className="text-sm text-ink-faint">
          {found.length > 0 ? t("count", { count: found.length }) : t("noMatch", { q })}
        </p>
      </div>
      <Operations document={data} operations={found} origin={origin} models={models} />
    </div>
  );
}

const readFragment = () => decodeURIComponent(window.location.hash.slice(1));

/** The address's fragment, without its sign; known at once, since the list is drawn in the browser alone. */
function useFragment(): string {
  const [fragment, setFragment] = useState(readFragment);
  useEffect(() => {
    const read = () => setFragment(readFragment());
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
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
    const own = operations.filter((operation) => operation.surface === surface);
    if (own.length === 0) return null;
    return (
      <section key={surface} aria-labelledby={`surface-${surface}`} className="grid grid-cols-1 gap-3">
        <div className="grid gap-0.5">
          <h3 id={`surface-${surface}`} className="scroll-mt-20 text-base font-medium">
            {t(`surface.${surface}`)}
          </h3>
          <p className="text-sm text-ink-muted">{t(`surfaceText.${surface}`)}</p>
        </div>
        <ul className="divide-y rounded-md border bg-panel">
          {own.map((operation) => (
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
