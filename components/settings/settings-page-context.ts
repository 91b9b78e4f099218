"use client";

import { createContext, type ReactNode, useContext, useEffect } from "react";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { AllowedUpstreams } from "@/lib/contracts/console/channels";
import type { InstanceFacts, VersionedSettings } from "@/lib/contracts/console/settings";

/** Data the server read for the page, and the rights of the user. */
export interface SettingsPageState {
  settings: VersionedSettings;
  facts: InstanceFacts;
  upstreams: AllowedUpstreams;
  isOwner: boolean;
  hasTwoFactor: boolean;
}

const Context = createContext<SettingsPageState | null>(null);
export const SettingsPageProvider = Context.Provider;

/** The section around a component. Sections that were opened stay mounted, hidden. */
interface Section {
  name: string;
  isShown: boolean;
}
const SectionContext = createContext<Section>({ name: "", isShown: true });
export const SectionProvider = SectionContext.Provider;
export const useSection = (): Section => useContext(SectionContext);

/** Renders dialogs only while their section is visible; `onHide` is called when it is hidden, to close them. */
export function WhileShown({ onHide, children }: { onHide(): void; children: ReactNode }): ReactNode {
  const { isShown } = useSection();
  useEffect(() => {
    if (!isShown) onHide();
  }, [isShown, onHide]);
  return isShown ? children : null;
}

/** The page's state with current settings and facts. Throws outside the settings page. */
export function useSettingsPage(): SettingsPageState & { isReadOnly: boolean } {
  const state = useContext(Context);
  if (state === null) throw new Error("useSettingsPage must be used inside SettingsPageProvider.");
  const settings = useApi(api.readSettings).data ?? state.settings;
  const facts = useApi(api.readInstanceFacts).data ?? state.facts;
  return { ...state, settings, facts, isReadOnly: settings.demo_site && !state.isOwner };
}
