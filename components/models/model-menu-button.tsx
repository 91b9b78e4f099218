"use client";

import { useTranslations } from "use-intl";
import { ActionsButton } from "../ui/actions-button";
import type { ModelMenuProps } from "./model-menu";

const loadMenu = () => import("./model-menu").then((one) => one.ModelMenu);

/** The button of a model's actions menu; the menu's code is loaded on first use. */
export function ModelMenuButton(props: ModelMenuProps) {
  const t = useTranslations("models.menu");
  return <ActionsButton label={t("label", { name: props.model.name })} load={loadMenu} menu={props} />;
}
