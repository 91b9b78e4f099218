"use client";

import dynamic from "next/dynamic";
import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { ReferenceSkeleton } from "./reference-skeleton";

const Reference = dynamic(() => import("./reference").then((one) => one.Reference), {
  ssr: false,
  loading: () => <ReferenceSkeleton />,
});

/** The endpoint list; its code and data load after the page. */
export function ReferenceLoader({ origin, models }: { origin: string; models: ExampleModels }) {
  return <Reference origin={origin} models={models} />;
}
