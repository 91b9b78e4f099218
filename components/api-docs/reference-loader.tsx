"use client";

import dynamic from "next/dynamic";
import { ReferenceSkeleton } from "./reference-skeleton";

/** The endpoint list; its code and data load after the page. */
export const ReferenceLoader = dynamic(() => import("./reference").then((one) => one.Reference), {
  ssr: false,
  loading: () => <ReferenceSkeleton />,
});
