"use client";

import dynamic from "next/dynamic";
import type { ExampleModels } from "@/lib/client/openapi/example";
import { Skeleton } from "../ui/skeleton";

const Reference = dynamic(() => import("./reference").then((one) => one.Reference), {
  ssr: false,
  loading: () => <ReferenceSkeleton />,
});

/** The list of addresses, fetched with what reads it once the page stands. */
export function ReferenceLoader({ origin, models }: { origin: string; models: ExampleModels }) {
  return <Reference origin={origin} models={models} />;
}

export function ReferenceSkeleton() {
  return (
    <div aria-busy="true" className="grid min-h-dvh content-start gap-3">
      <Skeleton className="h-9 w-full max-w-sm" />
      {[0, 1, 2, 3, 4, 5, 6, 7].map((row) => (
        <Skeleton key={row} className="h-11" />
      ))}
    </div>
  );
}
