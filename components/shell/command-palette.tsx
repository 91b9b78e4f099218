"use client";

import { defaultFilter } from "cmdk";
import { KeyboardIcon, LogOutIcon, PlusIcon, SunMoonIcon } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { type Match, usePaletteMatches } from "@/components/shell/use-palette-matches";
import { signOut } from "@/lib/client/sign-out";
import { leaveTo } from "@/lib/client/unsaved";
import type { Role } from "@/lib/contracts/console/user";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "../ui/command";
import { Dialog, DialogContent, DialogDescription, DialogTitle } from "../ui/dialog";
import { focusContent } from "../ui/keep-focus";
import { PAGES, pagesFor } from "./pages";
import { LANGUAGES, usePreferences } from "./use-preferences";

interface PaletteProps {
  onClose(): void;
  /** Called before another page is opened. */
  onLeave(): void;
  onError(error: unknown): void;
  onShowShortcuts(): void;
  role: Role;
}

/** Searches pages and actions, and channels, models, API keys and users by name. */
export function CommandPalette({
  open,
  onOpenChange,
  ...props
}: Omit<PaletteProps, "onClose" | "onLeave"> & { open: boolean; onOpenChange(open: boolean): void }) {
  const t = useTranslations("common.palette");
  const isLeaving = useRef(false);
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent
        className="top-24 max-w-xl translate-y-0 gap-0 p-0 [&>button]:hidden"
        onOpenAutoFocus={() => {
          isLeaving.current = false;
        }}
        onCloseAutoFocus={(event) => {
          if (!isLeaving.current) return;
          event.preventDefault();
          focusContent();
        }}
      >
        <DialogTitle className="sr-only">{t("title")}</DialogTitle>
        <DialogDescription className="sr-only">{t("placeholder")}</DialogDescription>
        <Palette
          {...props}
          onClose={() => onOpenChange(false)}
          onLeave={() => {
            isLeaving.current = true;
          }}
        />
      </DialogContent>
    </Dialog>
  );
}

interface Entry {
  name: string;
  icon: ReactNode;
  act(): void;
}

function Palette(props: PaletteProps) {
  const t = useTranslations("common");
  const [query, setQuery] = useState("");
  const { lists, isSearching } = usePaletteMatches(query, props.role);
  const { pages, actions, go } = useEntries(props);
  const groups = [
    { name: "pages" as const, ...rank(pages, query) },
    { name: "actions" as const, ...rank(actions, query) },
  ].sort((a, b) => b.best - a.best);
  return (
    // No filtering by cmdk: pages and actions are ranked here, records by `usePaletteMatches`.
    <Command label={t("palette.title")} shouldFilter={false}>
      <CommandInput placeholder={t("palette.placeholder")} value={query} onValueChange={setQuery} />
      <CommandList label={t("palette.title")}>
        <CommandEmpty>{isSearching ? t("loading") : t("palette.empty")}</CommandEmpty>
        {groups.map(({ name, entries }) =>
          entries.length === 0 ? null : (
            <CommandGroup key={name} heading={t(`palette.${name}`)}>
              {entries.map((entry) => (
                <CommandItem
                  key={entry.name}
                  value={entry.name}
                  onSelect={() => {
                    props.onClose();
                    entry.act();
                  }}
                >
                  {entry.icon}
                  {entry.name}
                </CommandItem>
              ))}
            </CommandGroup>
          ),
        )}
        {MATCH_KINDS.map((kind) => (
          <PaletteMatches
            key={kind}
            kind={kind}
            matches={lists[kind].matches}
            onOpen={(path) => {
              props.onClose();
              go(path);
            }}
          />
        ))}
      </CommandList>
    </Command>
  );
}

function useEntries({ role, onError, onLeave, onShowShortcuts }: PaletteProps) {
  const t = useTranslations("common");
  const router = useRouter();
  const { locale, setLocale, toggleTheme } = usePreferences({ isSignedIn: true });
  const go = (path: string) =>
    leaveTo(path, (to) => {
      if (new URL(to, window.location.href).pathname !== window.location.pathname) onLeave();
      router.push(to);
    });
  const pages: Entry[] = pagesFor(role).map((page) => ({
    name: t(`nav.${page.name}`),
    icon: <page.icon />,
    act: () => go(page.path),
  }));
  const createEntry = (name: "createKey" | "addChannel" | "inviteUser", path: string): Entry => ({
    name: t(`palette.${name}`),
    icon: <PlusIcon />,
    act: () => go(path),
  });
  const actions: Entry[] = [
    createEntry("createKey", "/keys?create=1"),
    ...(role === "member"
      ? []
      : [createEntry("addChannel", "/channels/new"), createEntry("inviteUser", "/users?invite=1")]),
    { name: t("shortcuts.title"), icon: <KeyboardIcon />, act: onShowShortcuts },
    { name: t("palette.toggleTheme"), icon: <SunMoonIcon />, act: toggleTheme },
    ...LANGUAGES.filter((one) => one.locale !== locale).map((one) => ({
      name: one.name,
      icon: <span aria-hidden="true" className="size-4" />,
      act: () => void setLocale(one.locale),
    })),
    { name: t("menu.signOut"), icon: <LogOutIcon />, act: () => void signOut().catch(onError) },
  ];
  return { pages, actions, go };
}

/** Lowest score of a match. cmdk gives this to letters that start words, and less to letters scattered over a name. */
const MIN_SCORE = 0.3;

/** The matching entries, best first, and the best score. */
function rank(entries: readonly Entry[], query: string): { entries: readonly Entry[]; best: number } {
  const text = query.trim();
  if (text === "") return { entries, best: 0 };
  const scored = entries
    .map((entry) => ({ entry, score: defaultFilter(entry.name, text) }))
    .filter(({ entry, score }) => score >= MIN_SCORE || entry.name.toLowerCase().includes(text.toLowerCase()))
    .sort((a, b) => b.score - a.score);
  return { entries: scored.map(({ entry }) => entry), best: scored[0]?.score ?? 0 };
}

/** The kinds of records that the palette finds, in display order; each is the name of its page. */
const MATCH_KINDS = ["channels", "models", "keys", "users"] as const;
type MatchKind = (typeof MATCH_KINDS)[number];

/** The matches of one kind; renders nothing without one. */
function PaletteMatches({
  kind,
  matches,
  onOpen,
}: {
  kind: MatchKind;
  matches: readonly Match[];
  onOpen(path: string): void;
}) {
  const t = useTranslations("common.nav");
  const Icon = PAGES.find((page) => page.name === kind)?.icon;
  if (matches.length === 0) return null;
  return (
    <CommandGroup heading={t(kind)}>
      {matches.map(({ id, name, note, path }) => (
        <CommandItem key={id} value={`${kind} ${id}`} onSelect={() => onOpen(path)}>
          {Icon ? <Icon aria-hidden="true" /> : null}
          {kind === "models" ? (
            <code className="truncate">{name}</code>
          ) : (
            <span className="truncate">{name}</span>
          )}
          {note === null ? null : (
            <code className="ml-auto max-w-3/5 shrink-0 truncate pl-4 text-ink-faint">{note}</code>
          )}
        </CommandItem>
      ))}
    </CommandGroup>
  );
}
