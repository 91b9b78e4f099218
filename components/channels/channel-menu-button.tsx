"use client";

import { useTranslations } from "use-intl";
import { ActionsButton } from "../ui/actions-button";
import type { ChannelMenuProps } from "./channel-menu";

const loadMenu = () => import("./channel-menu").then((one) => one.ChannelMenu);

/** The menu of a channel, fetched when it is first opened. */
export function ChannelMenuButton(props: ChannelMenuProps) {
  const t = useTranslations("channels.menu");
  return <ActionsButton label={t("label", { name: props.channel.name })} load={loadMenu} menu={props} />;
}
