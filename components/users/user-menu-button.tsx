"use client";

import { useTranslations } from "use-intl";
import { ActionsButton } from "../ui/actions-button";
import type { UserMenuProps } from "./user-menu";

const loadMenu = () => import("./user-menu").then((one) => one.UserMenu);

/** The menu of a user, fetched when it is first opened. */
export function UserMenuButton(props: UserMenuProps) {
  const t = useTranslations("users.menu");
  return <ActionsButton label={t("label", { name: props.user.username })} load={loadMenu} menu={props} />;
}
