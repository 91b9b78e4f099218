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

export interface ConsolePage {
  path: string;
  /** The page's key in `common.nav`. */
  name:
    | "overview"
    | "speech"
    | "embeddings"
    | "channels"
    | "models"
    | "usage"
    | "logs"
    | "alerts"
    | "keys"
    | "users"
    | "audit"
    | "settings"
    | "docs"
    | "account";
  icon: ComponentType<{ className?: string }>;
  /** The sidebar group; `top` and `bottom` have no heading. */
  group: "top" | "try" | "route" | "manage" | "bottom";
  /** Only administrators and the owner can open it. */
  isForAdmins?: boolean;
}

/** The pages of the console, in sidebar order; also used by the phone menu and the command palette. */
export const PAGES: readonly ConsolePage[] = [
  { path: "/", name: "overview", icon: LayoutGridIcon, group: "top" },
  { path: "/usage", name: "usage", icon: ChartColumnIcon, group: "top" },
  { path: "/logs", name: "logs", icon: LogsIcon, group: "top", isForAdmins: true },
  { path: "/playground/speech", name: "speech", icon: AudioLinesIcon, group: "try" },
  { path: "/playground/embeddings", name: "embeddings", icon: Grid3x3Icon, group: "try" },
  { path: "/channels", name: "channels", icon: CableIcon, group: "route", isForAdmins: true },
  { path: "/models", name: "models", icon: BoxesIcon, group: "route", isForAdmins: true },
  { path: "/alerts", name: "alerts", icon: BellIcon, group: "route", isForAdmins: true },
  { path: "/keys", name: "keys", icon: KeyRoundIcon, group: "manage" },
  { path: "/users", name: "users", icon: UsersIcon, group: "manage", isForAdmins: true },
  { path: "/audit", name: "audit", icon: ScrollTextIcon, group: "manage", isForAdmins: true },
  { path: "/settings", name: "settings", icon: SettingsIcon, group: "manage", isForAdmins: true },
  { path: "/docs", name: "docs", icon: BookOpenIcon, group: "bottom" },
  { path: "/account", name: "account", icon: CircleUserIcon, group: "bottom" },
];

export const GROUPS = ["top", "try", "route", "manage", "bottom"] as const;

/** The pages that a role can open. */
export function pagesFor(role: Role): readonly ConsolePage[] {
  return PAGES.filter((page) => !page.isForAdmins || role !== "member");
}
