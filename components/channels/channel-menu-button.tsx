"use client";

import { useTranslations } from "use-intl";
import { ActionsButton } from "../ui/actions-button";
import type { ChannelMenuProps } from "./channel-menu";

const loadMenu = () => import("./channel-menu").then((one) => one.ChannelMenu);

/** The button of a channel's actions menu; the menu's code is loaded on first use. */
export function ChannelMenuButton(props: ChannelMenuProps) {
  const t = useTranslations("channels.menu");
  return <ActionsButton label={t("label", { name: props.channel.name })} load={loadMenu} menu={props} />;
}
