import { AudioLinesIcon, CircleUserIcon, Grid3x3Icon, KeyRoundIcon, LayoutGridIcon } from "lucide-react";
import type { ComponentType } from "react";

export interface ConsolePage {
  path: string;
  name: "overview" | "speech" | "embeddings" | "keys" | "account";
  icon: ComponentType<{ className?: string }>;
}

/** The places of the console, in the order of the sidebar; sidebar, phone menu and palette read this list. */
export const PAGES: readonly ConsolePage[] = [
  { path: "/", name: "overview", icon: LayoutGridIcon },
  { path: "/playground/speech", name: "speech", icon: AudioLinesIcon },
  { path: "/playground/embeddings", name: "embeddings", icon: Grid3x3Icon },
  { path: "/keys", name: "keys", icon: KeyRoundIcon },
  { path: "/account", name: "account", icon: CircleUserIcon },
];
