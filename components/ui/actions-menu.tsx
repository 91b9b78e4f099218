"use client";

import type { LucideIcon } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { ActionsTrigger } from "./actions-trigger";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from "./dropdown-menu";

type Item<Action> = (
  action: Action,
  words: string,
  icon: LucideIcon,
  how?: { isDanger?: boolean; disabled?: boolean },
) => ReactNode;

/** What one may do with a row, open from its first paint: the press that opens it has fetched it. */
export function ActionsMenu<Action extends string>({
  label,
  onAction,
  children,
}: {
  label: string;
  onAction(action: Action): void;
  /** The menu's content; `item` makes what one presses to do something. */
  children(item: Item<Action>): ReactNode;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<Action | null>(null);
  // A dialog opens once the focus is back on the trigger: it takes it from there and gives it back there.
  const actOnClose = (event: Event) => {
    const action = chosen.current;
    if (!action) return;
    event.preventDefault();
    chosen.current = null;
    trigger.current?.focus();
    onAction(action);
  };
  const item: Item<Action> = (action, words, Icon, how) => (
    <DropdownMenuItem
      {...how}
      onSelect={() => {
        chosen.current = action;
      }}
    >
      <Icon aria-hidden="true" />
      {words}
    </DropdownMenuItem>
  );
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ActionsTrigger ref={trigger} label={label} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose} className="max-w-64">
        {children(item)}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
