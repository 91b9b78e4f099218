"use client";

import { useSearchParams } from "next/navigation";
import { type ComponentType, useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, cached } from "@/lib/client/api";
import { useUnsavedParts } from "@/lib/client/unsaved";
import { PageHeader } from "../shell/page-header";
import { StatusDot } from "../ui/badge";
import { cn } from "../ui/class-names";
import { NativeSelect } from "../ui/input";
import { Notice } from "../ui/notice";
import { SearchField } from "../ui/search-field";
import { DataSection } from "./data-section";
import { GeneralSection } from "./general-section";
import { InstancesSection } from "./instances-section";
import { LimitsSection } from "./limits-section";
import { NetworkSection } from "./network-section";
import { isMatch, SearchProvider } from "./search";
import { SecuritySection } from "./security-section";
import {
  SectionProvider,
  SettingsPageProvider,
  type SettingsPageState,
  useSettingsPage,
} from "./settings-page-context";
import { TransferSection } from "./transfer-section";

const SECTIONS = {
  general: GeneralSection,
  security: SecuritySection,
  limits: LimitsSection,
  network: NetworkSection,
  data: DataSection,
  transfer: TransferSection,
  instances: InstancesSection,
} satisfies Record<string, ComponentType>;
type SectionName = keyof typeof SECTIONS;
const NAMES = ["general", "security", "limits", "network", "data", "transfer", "instances"] as const;

/** The settings of the instance; the current section is part of the URL. `state`: data read on the server. */
export function SettingsPage({ state }: { state: SettingsPageState }) {
  const { settings, facts, upstreams } = state;
  const fallback = {
    ...cached(api.readSettings, {}, settings),
    ...cached(api.readInstanceFacts, {}, facts),
    ...cached(api.listAllowedUpstreams, {}, upstreams),
  };
  return (
    <SWRConfig value={{ fallback }}>
      <SettingsPageProvider value={state}>
        <Sections />
      </SettingsPageProvider>
    </SWRConfig>
  );
}

function Sections() {
  const t = useTranslations("settings");
  const requested = useSearchParams().get("section");
  const name = NAMES.find((one) => one === requested) ?? "general";
  const { isReadOnly } = useSettingsPage();
  // An opened section stays mounted, so that its unsaved input is not lost.
  const [opened, setOpened] = useState<readonly SectionName[]>([name]);
  if (!opened.includes(name)) setOpened([...opened, name]);
  const [search, setSearch] = useState("");
  const query = search.trim();
  // A search looks through every section.
  if (query !== "" && opened.length < NAMES.length) setOpened(NAMES);
  const isWhole = (one: SectionName) => query === "" || isMatch(query, t(`section.${one}`));
  // "Instances" has no settings to search: only its name is matched.
  const isShown = (one: SectionName) => (query === "" ? one === name : one !== "instances" || isWhole(one));
  return (
    <div className="group/search mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {isReadOnly ? (
        <Notice tone="info" title={t("readOnly")} className="mb-6">
          {t("readOnlyText")}
        </Notice>
      ) : null}
      <SearchField label={t("search")} value={search} onValueChange={setSearch} className="mb-4" />
      {query === "" ? <SectionNavigation current={name} /> : null}
      {NAMES.filter((one) => one === name || opened.includes(one)).map((one) => {
        const Shown = SECTIONS[one];
        return (
          <div key={one} hidden={!isShown(one)}>
            <SectionProvider value={{ name: one, isShown: isShown(one) }}>
              <SearchProvider value={{ query, isWhole: isWhole(one) }}>
                <Shown />
              </SearchProvider>
            </SectionProvider>
          </div>
        );
      })}
      {query === "" ? null : (
        <p className="text-ink-muted group-has-[[data-match]]/search:hidden">{t("searchNone")}</p>
      )}
    </div>
  );
}

const addressOf = (name: SectionName) => (name === "general" ? "/settings" : `/settings?section=${name}`);
/** Opens a section with a history entry, without navigating. */
const open = (name: SectionName) => window.history.pushState(null, "", addressOf(name));

/** A row of links; a select on narrow screens. */
function SectionNavigation({ current }: { current: SectionName }) {
  const t = useTranslations("settings");
  const unsaved = useUnsavedParts();
  return (
    <nav aria-label={t("sections")} className="mb-6">
      <ul className="hidden gap-1 border-b md:flex">
        {NAMES.map((name) => (
          <li key={name}>
            <a
              href={addressOf(name)}
              aria-current={name === current ? "page" : undefined}
              className={cn(
                "-mb-px flex items-center gap-2 border-b-2 border-transparent px-3 py-2 text-ink-muted transition-colors -outline-offset-2 hover:text-ink",
                name === current && "border-ink text-ink",
              )}
              onClick={(event) => {
                // Opening in a new tab or window is left to the browser.
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                open(name);
              }}
            >
              {t(`section.${name}`)}
              {unsaved.has(name) ? (
                <span title={t("unsaved")} className="flex">
                  <StatusDot tone="warn" />
                  <span className="sr-only">{t("unsaved")}</span>
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
      <NativeSelect
        className="md:hidden"
        aria-label={t("sections")}
        value={current}
        onChange={(event) => open(NAMES.find((one) => one === event.target.value) ?? "general")}
      >
        {NAMES.map((name) => (
          <option key={name} value={name}>
            {t(`section.${name}`)}
            {unsaved.has(name) ? ` · ${t("unsaved")}` : null}
          </option>
        ))}
      </NativeSelect>
    </nav>
  );
}
