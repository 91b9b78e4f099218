"use client";

import { useTranslations } from "use-intl";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { ExamplesTrigger } from "./examples-trigger";

export const EXAMPLES = ["greeting", "dialogue", "numbers", "languages"] as const;
export type Example = (typeof EXAMPLES)[number];

/** The example texts, in a menu that is open when it loads. */
export function ExamplesMenu({ onChoose }: { onChoose(example: Example): void }) {
  const t = useTranslations("speech.examples");
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ExamplesTrigger />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {EXAMPLES.map((example) => (
          <DropdownMenuItem key={example} onSelect={() => onChoose(example)}>
            {t(example)}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
