"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { type KeyMenuProps, KeyMenuTrigger } from "./key-menu-trigger";

const loadMenu = () => import("./key-menu").then((one) => one.KeyMenu);

/** The menu of a key, fetched when it is first opened. */
export function KeyMenuButton(props: KeyMenuProps) {
  const { Loaded, demand, warm } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return (
    <KeyMenuTrigger
      name={props.apiKey.name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={demand}
    />
  );
}
