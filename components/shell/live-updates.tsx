"use client";

import { useLiveUpdates } from "@/lib/client/live";
import type { ShellUser } from "./account-trigger";

/** Shows nothing: keeps the pages below the frame fresh. */
export function LiveUpdates({ user }: { user: ShellUser }) {
  useLiveUpdates(user);
  return null;
}
