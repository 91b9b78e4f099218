"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { type UserMenuProps, UserMenuTrigger } from "./user-menu-trigger";

const loadMenu = () => import("./user-menu").then((one) => one.UserMenu);

/** The menu of a user, fetched when it is first opened. */
export function UserMenuButton(props: UserMenuProps) {
  const { Loaded, demand, warm } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return (
    <UserMenuTrigger
      name={props.user.username}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={demand}
    />
  );
}
