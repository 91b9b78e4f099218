"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { LanguageButton, type LanguagePickerProps } from "./language-button";

const loadList = () => import("./language-list").then((one) => one.LanguageList);

/** The language of a call. The searchable list is loaded when it is first opened. */
export function LanguagePicker(props: LanguagePickerProps) {
  const { Loaded, loadNow, preload } = useOnDemand(loadList);
  if (Loaded) return <Loaded {...props} />;
  return (
    <LanguageButton
      {...props}
      aria-haspopup="dialog"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={loadNow}
    />
  );
}
