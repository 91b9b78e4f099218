"use client";

import { ChevronRightIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { authOf, type OpenApiDocument, type Operation } from "@/components/api-docs/openapi/document";
import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { setFragment } from "@/lib/client/query-params";
import { Badge } from "../ui/badge";
import { cn } from "../ui/class-names";
import { lazyPart } from "../ui/lazy-part";
import { Skeleton } from "../ui/skeleton";

const OperationDetail = lazyPart(
  () => import("./operation-detail").then((one) => one.OperationDetail),
  () => <Skeleton className="m-4 h-64" />,
);

const TONES = {
  GET: "text-info",
  POST: "text-good",
  PATCH: "text-warn",
  PUT: "text-warn",
  DELETE: "text-bad",
} as const;

/** A path that can wrap after a slash or before a colon. */
function BreakablePath({ path }: { path: string }) {
  return path.split(/(?<=\/)|(?=:)/).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a path never change order
    <span key={index}>
      {piece}
      <wbr />
    </span>
  ));
}

/** One endpoint: a row that expands to its details. `isLinked`: the page's URL fragment names it. */
export function OperationEntry({
  document,
  operation,
  origin,
  models,
  isLinked,
}: {
  document: OpenApiDocument;
  operation: Operation;
  origin: string;
  models: ExampleModels;
  isLinked: boolean;
}) {
  const entry = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(isLinked);
  const { anchor } = operation;
  /** The user opened this entry by its row, which is in view already: no scrolling. */
  const isOpenedHere = useRef(false);

  useEffect(() => {
    // The fragment may be gone: a search removes it from the URL and mounts entries again.
    if (!isLinked || window.location.hash !== `#${anchor}`) return;
    setOpen(true);
    if (!isOpenedHere.current) entry.current?.scrollIntoView({ block: "start" });
    isOpenedHere.current = false;
  }, [isLinked, anchor]);

  const toggle = (open: boolean) => {
    setOpen(open);
    const isNamed = window.location.hash === `#${anchor}`;
    if (open && entry.current?.open && !isNamed) {
      isOpenedHere.current = true;
      setFragment(anchor);
    }
    // Removes the fragment, so that a link to this closed entry opens it again.
    if (!open && isNamed) setFragment("");
  };

  return (
    <li>
      <details
        ref={entry}
        id={anchor}
        open={isOpen}
        onToggle={(event) => toggle(event.currentTarget.open)}
        className="group"
      >
        <Summary operation={operation} />
        {isOpen ? (
          <OperationDetail document={document} operation={operation} origin={origin} models={models} />
        ) : null}
      </details>
    </li>
  );
}

/** The row: method, path, what the endpoint does and how it authenticates. */
function Summary({ operation }: { operation: Operation }) {
  const t = useTranslations("apiDocs.operation");
  const { method, path, summary } = operation;
  return (
    <summary className="grid cursor-pointer list-none grid-cols-[1rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1 px-4 py-2.5 transition-colors hover:bg-sunken/60 md:grid-cols-[1rem_minmax(0,5fr)_minmax(0,6fr)] [&::-webkit-details-marker]:hidden">
      <ChevronRightIcon
        aria-hidden="true"
        className="size-4 text-ink-faint transition-transform group-open:rotate-90"
      />
      <code className="flex gap-3">
        <span className={cn("w-14 shrink-0", TONES[method as keyof typeof TONES])}>{method}</span>
        <span className="min-w-0 break-words">
          <BreakablePath path={path} />
        </span>
      </code>
      <span className="col-start-2 flex min-w-0 items-center gap-2 text-sm text-ink-muted md:col-start-3">
        <span className="min-w-0 flex-1">{summary}</span>
        <Badge tone="outline" className="hidden md:inline-flex">
          {t(`auth.${authOf(operation)}`)}
        </Badge>
      </span>
    </summary>
  );
}
