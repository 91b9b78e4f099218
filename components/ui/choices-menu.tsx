"use client";

import { Button, type ButtonProps } from "./button";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from "./dropdown-menu";

export interface Choices<Id extends string> {
  /** The button that opens the menu. */
  button: ButtonProps;
  choices: readonly { id: Id; label: string; download?: string }[];
  /** Called with a choice that is not a download. */
  onPick?(id: Id): void;
}

/** A menu of short choices or downloads. It renders open: the click that opens it has loaded its code. */
export function ChoicesMenu<Id extends string>({ button, choices, onPick }: Choices<Id>) {
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <Button {...button} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {choices.map(({ id, label, download }) =>
          download === undefined ? (
            <DropdownMenuItem key={id} onSelect={() => onPick?.(id)}>
              {label}
            </DropdownMenuItem>
          ) : (
            <DropdownMenuItem key={id} asChild>
              <a href={download} download>
                {label}
              </a>
            </DropdownMenuItem>
          ),
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
