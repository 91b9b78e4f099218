"use client";

import { useLiveUpdates } from "@/lib/client/live";

/** Shows nothing: keeps the pages below the frame fresh. */
export function LiveUpdates() {
  useLiveUpdates();
  return null;
}
