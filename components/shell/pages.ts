import {
  AudioLinesIcon,
  BellIcon,
  BookOpenIcon,
  BoxesIcon,
  CableIcon,
  ChartColumnIcon,
  CircleUserIcon,
  Grid3x3Icon,
  KeyRoundIcon,
  LayoutGridIcon,
  LogsIcon,
  ScrollTextIcon,
  SettingsIcon,
  UsersIcon,
} from "lucide-react";
import type { ComponentType } from "react";
import type { Role } from "@/lib/contracts/console/user";
import type { Catalogue } from "@/lib/messages/catalogue";

export interface ConsolePage {
  path: string;
  /** The page's key in `common.nav`. */
  name: keyof Catalogue["common"]["nav"];
  icon: ComponentType<{ className?: string }>;
  /** Pressed after `g`, opens the page. */
  letter: string;
  /** The sidebar group; `top` and `bottom` have no heading. */
  group: "top" | "try" | "route" | "manage" | "bottom";
  /** Only administrators and the owner can open it. */
  isForAdmins?: boolean;
}

/** The pages of the console, in sidebar order; also used by the phone menu and the command palette. */
export const PAGES: readonly ConsolePage[] = [
  { path: "/", name: "overview", letter: "o", icon: LayoutGridIcon, group: "top" },
  { path: "/usage", name: "usage", letter: "u", icon: ChartColumnIcon, group: "top" },
  { path: "/logs", name: "logs", letter: "l", icon: LogsIcon, group: "top", isForAdmins: true },
  { path: "/playground/speech", name: "speech", letter: "s", icon: AudioLinesIcon, group: "try" },
  { path: "/playground/embeddings", name: "embeddings", letter: "e", icon: Grid3x3Icon, group: "try" },
  { path: "/channels", name: "channels", letter: "c", icon: CableIcon, group: "route", isForAdmins: true },
  { path: "/models", name: "models", letter: "m", icon: BoxesIcon, group: "route", isForAdmins: true },
  { path: "/alerts", name: "alerts", letter: "a", icon: BellIcon, group: "route", isForAdmins: true },
  { path: "/keys", name: "keys", letter: "k", icon: KeyRoundIcon, group: "manage" },
  { path: "/users", name: "users", letter: "p", icon: UsersIcon, group: "manage", isForAdmins: true },
  { path: "/audit", name: "audit", letter: "h", icon: ScrollTextIcon, group: "manage", isForAdmins: true },
  {
    path: "/settings",
    name: "settings",
    letter: "t",
    icon: SettingsIcon,
    group: "manage",
    isForAdmins: true,
  },
  { path: "/docs", name: "docs", letter: "d", icon: BookOpenIcon, group: "bottom" },
  { path: "/account", name: "account", letter: "i", icon: CircleUserIcon, group: "bottom" },
];

export const GROUPS = ["top", "try", "route", "manage", "bottom"] as const;

/** The pages that a role can open. */
export function pagesFor(role: Role): readonly ConsolePage[] {
  return PAGES.filter((page) => !page.isForAdmins || role !== "member");
}
