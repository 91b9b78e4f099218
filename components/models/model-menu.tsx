"use client";

import { PencilIcon, SplitIcon, Trash2Icon } from "lucide-react";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";
import { type ModelAction, type ModelMenuProps, ModelMenuTrigger } from "./model-menu-trigger";

/** What one may do with a model, loaded by the press that opens it. */
export function ModelMenu({ model, onAction }: ModelMenuProps) {
  const t = useTranslations("models.menu");
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<ModelAction | null>(null);
  const choose = (action: ModelAction) => () => {
    chosen.current = action;
  };
  // A dialog opens once the focus is back on the trigger: it takes it from there and gives it back there.
  const actOnClose = (event: Event) => {
    const action = chosen.current;
    if (!action) return;
    event.preventDefault();
    chosen.current = null;
    trigger.current?.focus();
    onAction(action);
  };
  return (
    <DropdownMenu defaultOpen>
      <DropdownMenuTrigger asChild>
        <ModelMenuTrigger ref={trigger} name={model.name} />
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" onCloseAutoFocus={actOnClose}>
        <DropdownMenuItem onSelect={choose("route")}>
          <SplitIcon aria-hidden="true" />
          {t("route")}
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={choose("edit")}>
          <PencilIcon aria-hidden="true" />
          {t("edit")}
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        <DropdownMenuItem isDanger onSelect={choose("delete")}>
          <Trash2Icon aria-hidden="true" />
          {t("delete")}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
