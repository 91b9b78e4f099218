"use client";

import { lazyPart } from "../ui/lazy-part";
import { ReferenceSkeleton } from "./reference-skeleton";

/** The endpoint list; its code and data load after the page. */
export const ReferenceLoader = lazyPart(
  () => import("./reference").then((one) => one.Reference),
  () => <ReferenceSkeleton />,
);
