"use client";

import { useEffect } from "react";
import { onFirstToast } from "../ui/toast";
import { useOnDemand } from "../ui/use-on-demand";

const loadList = () => import("./toast-list").then((one) => one.ToastList);

const FIRST_INPUT = ["pointermove", "pointerdown", "keydown"] as const;

/** The place of toasts (`toast.success(…)`); their code is rendered with the first one. */
export function Toaster() {
  const { Loaded, loadNow, preload } = useOnDemand(loadList);
  useEffect(() => onFirstToast(loadNow), [loadNow]);
  useEffect(() => {
    // Before it is needed: the first toast may say that the server is unreachable.
    const stop = new AbortController();
    for (const name of FIRST_INPUT)
      window.addEventListener(name, preload, { once: true, passive: true, signal: stop.signal });
    return () => stop.abort();
  }, [preload]);
  return Loaded ? <Loaded /> : null;
}
