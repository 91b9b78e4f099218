"use client";

import { useEffect } from "react";
import { onFirstToast } from "../ui/toast";
import { useOnDemand } from "../ui/use-on-demand";

const loadList = () => import("./toast-list").then((one) => one.ToastList);

/** The place of toasts (`toast.success(…)`); their code is loaded with the first one. */
export function Toaster() {
  const { Loaded, loadNow } = useOnDemand(loadList);
  useEffect(() => onFirstToast(loadNow), [loadNow]);
  return Loaded ? <Loaded /> : null;
}
