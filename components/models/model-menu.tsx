"use client";

import { PencilIcon, SplitIcon, Trash2Icon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Model } from "@/lib/contracts/console/models";
import { ActionsMenu } from "../ui/actions-menu";
import { DropdownMenuSeparator } from "../ui/dropdown-menu";

export type ModelAction = "route" | "edit" | "delete";

interface ModelMenuProps {
  model: Model;
  onAction(action: ModelAction): void;
}

/** The actions menu of a model, loaded on the click that opens it. */
export function ModelMenu({ model, onAction }: ModelMenuProps) {
  const t = useTranslations("models.menu");
  return (
    <ActionsMenu<ModelAction> name={model.name} onAction={onAction}>
      {(item) => (
        <>
          {item("route", t("route"), SplitIcon)}
          {item("edit", t("edit"), PencilIcon)}
          <DropdownMenuSeparator />
          {item("delete", t("delete"), Trash2Icon, { isDanger: true })}
        </>
      )}
    </ActionsMenu>
  );
}
