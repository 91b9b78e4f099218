"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { type ChannelMenuProps, ChannelMenuTrigger } from "./channel-menu-trigger";

const loadMenu = () => import("./channel-menu").then((one) => one.ChannelMenu);

/** The menu of a channel, fetched when it is first opened. */
export function ChannelMenuButton(props: ChannelMenuProps) {
  const { Loaded, demand, warm } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return (
    <ChannelMenuTrigger
      name={props.channel.name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={demand}
    />
  );
}
