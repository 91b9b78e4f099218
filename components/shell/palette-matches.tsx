"use client";

import { useTranslations } from "use-intl";
import type { Match } from "@/components/shell/use-palette-matches";
import { CommandGroup, CommandItem } from "../ui/command";
import { PAGES } from "./pages";

/** The kinds of records that the palette finds, in display order; each is the name of its page. */
export const MATCH_KINDS = ["channels", "models", "keys", "users"] as const;
type MatchKind = (typeof MATCH_KINDS)[number];

/** The matches of one kind; renders nothing without one. */
export function PaletteMatches({
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
