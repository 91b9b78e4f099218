"use client";

import { useEffect } from "react";
import { loadPart } from "@/lib/client/load-part";
import { onFirstToast } from "../ui/toast";
import { useOnDemand } from "../ui/use-on-demand";

const NoList = () => null;

// A server of another version does not have the code. An error in the root layout would replace the page, which works
// without toasts.
const loadList = () =>
  loadPart(() => import("./toast-list").then((one) => one.ToastList)).catch(() => NoList);

const FIRST_INPUT = ["pointermove", "pointerdown", "keydown"] as const;

/** Renders toasts (`toast.success(…)`); the code for that is loaded with the first input or toast. */
export function Toaster() {
  const { Loaded, loadNow } = useOnDemand(loadList);
  useEffect(() => onFirstToast(loadNow), [loadNow]);
  useEffect(() => {
    // Loaded before it is needed: the first toast may say that the server is unreachable, and screen readers announce
    // only what is added to a live region that exists already.
    const stop = new AbortController();
    for (const name of FIRST_INPUT)
      window.addEventListener(name, loadNow, { once: true, passive: true, signal: stop.signal });
    return () => stop.abort();
  }, [loadNow]);
  return Loaded ? <Loaded /> : null;
}
