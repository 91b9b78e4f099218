"use client";

import { createContext, type ReactNode, useContext, useEffect } from "react";
import { useFacts, useSettings } from "@/components/settings/use-settings";
import type { AllowedUpstreams } from "@/lib/contracts/console/channels";
import type { InstanceFacts, VersionedSettings } from "@/lib/contracts/console/settings";

/** What the server knew when it made the page, and who looks at it. */
export interface SettingsPageState {
  settings: VersionedSettings;
  facts: InstanceFacts;
  upstreams: AllowedUpstreams;
  isOwner: boolean;
  hasTwoFactor: boolean;
}

const Context = createContext<SettingsPageState | null>(null);
export const SettingsPageProvider = Context.Provider;

/** The section that a part of the page stands in. Sections that are not looked at stay, hidden. */
interface Section {
  name: string;
  isShown: boolean;
}
const SectionContext = createContext<Section>({ name: "", isShown: true });
export const SectionProvider = SectionContext.Provider;
export const useSection = (): Section => useContext(SectionContext);

/** What stands over the page (a dialog) and would show though its section is hidden; `onHide` closes it for good. */
export function WhileShown({ onHide, children }: { onHide(): void; children: ReactNode }): ReactNode {
  const { isShown } = useSection();
  useEffect(() => {
    if (!isShown) onHide();
  }, [isShown, onHide]);
  return isShown ? children : null;
}

/** The page's state with settings and facts as they are now. Throws outside the settings page. */
export function useSettingsPage(): SettingsPageState & { isReadOnly: boolean } {
  const made = useContext(Context);
  if (made === null) throw new Error("This belongs to the settings page.");
  const settings = useSettings().data ?? made.settings;
  const facts = useFacts().data ?? made.facts;
  return { ...made, settings, facts, isReadOnly: settings.demo_site && !made.isOwner };
}
