"use client";

import { ChevronDownIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { ChoicesButton } from "../ui/choices-button";

const EXAMPLES = ["greeting", "dialogue", "numbers", "languages"] as const;
export type Example = (typeof EXAMPLES)[number];

/** The menu of example texts. */
export function ExamplesButton({ onChoose }: { onChoose(example: Example): void }) {
  const t = useTranslations("speech.examples");
  return (
    <ChoicesButton
      button={{
        variant: "ghost",
        size: "sm",
        children: (
          <>
            {t("label")}
            <ChevronDownIcon aria-hidden="true" />
          </>
        ),
      }}
      choices={EXAMPLES.map((id) => ({ id, label: t(id) }))}
      onPick={onChoose}
    />
  );
}
