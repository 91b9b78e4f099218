import { createContext, useContext, useEffect } from "react";

/** Tells the dialog around a form whether something was entered. */
export const DraftContext = createContext<(isDirty: boolean) => void>(() => undefined);

/** While `isDirty`, a click outside the form's dialog does not close it. No effect outside a dialog. */
export function useDialogDraft(isDirty: boolean): void {
  const report = useContext(DraftContext);
  useEffect(() => report(isDirty), [report, isDirty]);
}
