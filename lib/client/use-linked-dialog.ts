import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { setQueryParam } from "./query-params";

/**
 * The open dialog of a page, null for none, and its setter. The query parameter `name`, set to 1, opens `linked` unless
 * another dialog is open. It is removed at once: the dialog and its input must outlive changes of the URL on the same
 * page, such as Back. `linked` must be the same object on every render.
 */
export function useLinkedDialog<Dialog extends object>(
  name: string,
  linked: Dialog,
): [Dialog | null, (next: Dialog | null) => void] {
  const isLinked = useSearchParams().get(name) === "1";
  const [dialog, setDialog] = useState<Dialog | null>(null);
  useEffect(() => {
    if (!isLinked) return;
    setDialog((open) => open ?? linked);
    // Deferred: on the first load, Next patches `history.replaceState` in an effect that runs after this one.
    queueMicrotask(() => setQueryParam(name, null));
  }, [isLinked, name, linked]);
  return [dialog, setDialog];
}
