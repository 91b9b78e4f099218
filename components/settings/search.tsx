"use client";

import { type ComponentProps, createContext, type ReactNode, useContext } from "react";
import { Section } from "../ui/section";

/** `isWhole`: without a query, or if the tab or section itself matches it; all its fields are then shown. */
const Search = createContext<{ query: string; isWhole: boolean }>({ query: "", isWhole: true });
export const SearchProvider = Search.Provider;

/** True when each word of the query is in one of the texts, or the query is empty. Ignores case. */
export function isMatch(query: string, ...texts: readonly string[]): boolean {
  const text = texts.join(" ").toLocaleLowerCase();
  return query
    .toLocaleLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

/** Attributes of a field's element, which hide it when the search does not match its texts. */
export function useSearched(...texts: readonly string[]): { hidden: boolean; "data-match"?: "" } {
  const { query, isWhole } = useContext(Search);
  return isWhole || isMatch(query, ...texts) ? { hidden: false, "data-match": "" } : { hidden: true };
}

/** A section of the settings: hidden when neither it nor one of its fields matches the search. */
export function SearchedSection(props: ComponentProps<typeof Section>) {
  const { query, isWhole } = useContext(Search);
  const isShown = isWhole || isMatch(query, props.title, props.text);
  return (
    <SearchProvider value={{ query, isWhole: isShown }}>
      <Section
        {...props}
        {...(isShown ? { "data-match": "" } : {})}
        className={isShown ? undefined : "not-has-[[data-match]]:hidden"}
      />
    </SearchProvider>
  );
}

/** A field that is hidden when the search does not match its texts. */
export function SearchedField({ texts, children }: { texts: readonly string[]; children: ReactNode }) {
  const searched = useSearched(...texts);
  return (
    <div {...searched} className={searched.hidden ? undefined : "contents"}>
      {children}
    </div>
  );
}
