"use client";

import type { LucideIcon } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { ActionsTrigger } from "./actions-button";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from "./dropdown-menu";

type Item<Action> = (
  action: Action,
  label: string,
  icon: LucideIcon,
  options?: { isDanger?: boolean; disabled?: boolean },
) => ReactNode;

/** The actions menu of a row. It renders open: the click that opens it has loaded its code. */
export function ActionsMenu<Action extends string>({
  name,
  onAction,
  children,
}: {
  /** Name of the row. */
  name: string;
  onAction(action: Action): void;
  /** The menu's content; `item` renders an item for an action. */
  children(item: Item<Action>): ReactNode;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<Action | null>(null);
  // The action runs once the focus is back on the trigger, so that a dialog it opens returns the focus there.
  const actOnClose = (event: Event) => {
    const action = chosen.current;
    if (!action) return;
    event.preventDefault();
    chosen.current = null;
    trigger.current?.focus();
    onAction(action);
  };
  const item: Item<Action> = (action, itemLabel, Icon, options) => (
    <DropdownMenuItem
      {...options}
      onSelect={() => {
        chosen.current = action;
      }}
    >
      <Icon aria-hidden="true" />
      {itemLabel}
    </DropdownMenuItem>
  );
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ActionsTrigger ref={trigger} name={name} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose} className="max-w-64">
        {children(item)}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
