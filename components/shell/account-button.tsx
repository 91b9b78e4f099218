"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { AccountTrigger, type ShellUser } from "./account-trigger";

const loadMenu = () => import("./account-menu").then((one) => one.AccountMenu);

/** The account menu's button; loads the menu when it is first opened. */
export function AccountButton(props: { user: ShellUser; onError(error: unknown): void }) {
  const { Loaded, loadNow, preload } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return (
    <AccountTrigger
      user={props.user}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={loadNow}
    />
  );
}
