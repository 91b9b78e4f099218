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

/** Texts to start from. Loaded by the press that opens it. */
export function ExamplesMenu({ onTake }: { onTake(example: Example): void }) {
  const t = useTranslations("speech.try");
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ExamplesTrigger />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {EXAMPLES.map((example) => (
          <DropdownMenuItem key={example} onSelect={() => onTake(example)}>
            {t(example)}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
