"use client";

import { useTranslations } from "use-intl";
import { ActionsButton } from "../ui/actions-button";
import type { KeyMenuProps } from "./key-menu";

const loadMenu = () => import("./key-menu").then((one) => one.KeyMenu);

/** The menu of a key, fetched when it is first opened. */
export function KeyMenuButton(props: KeyMenuProps) {
  const t = useTranslations("apiKeys.menu");
  return <ActionsButton label={t("label", { name: props.apiKey.name })} load={loadMenu} menu={props} />;
}
