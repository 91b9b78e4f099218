"use client";

import { useEffect } from "react";
import { onFirstToast } from "../ui/toast";
import { useOnDemand } from "../ui/use-on-demand";

const loadList = () => import("./toast-list").then((one) => one.ToastList);

/** The place of toasts (`toast.success(…)`); their code is rendered with the first one. */
export function Toaster() {
  const { Loaded, loadNow, preload } = useOnDemand(loadList);
  useEffect(() => onFirstToast(loadNow), [loadNow]);
  useEffect(() => {
    // After the page's own files: the first toast may say that the server is unreachable.
    if (document.readyState === "complete") return preload();
    window.addEventListener("load", preload, { once: true });
    return () => window.removeEventListener("load", preload);
  }, [preload]);
  return Loaded ? <Loaded /> : null;
}
