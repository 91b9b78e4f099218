import { en } from "./en";
import type { Locale } from "./locale";
import { zh } from "./zh";

/** The same keys with any text. */
type Messages<T> = { [K in keyof T]: T[K] extends string ? string : Messages<T[K]> };

export type Catalogue = Messages<typeof en>;
export type Area = keyof Catalogue;

const CATALOGUES: Record<Locale, Catalogue> = { en, zh };

/** The messages of some areas: a page sends the browser only those it shows. */
export function messagesFor<A extends Area>(locale: Locale, areas: readonly A[]): Pick<Catalogue, A> {
  const all = CATALOGUES[locale];
  // `areas` are keys of the catalogue, so the object has every one of them.
  return Object.fromEntries(areas.map((area) => [area, all[area]])) as Pick<Catalogue, A>;
}
