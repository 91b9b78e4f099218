import { en } from "./en";
import type { Locale } from "./locale";
import { zh } from "./zh";

/** Same keys, any words. */
type Words<T> = { [K in keyof T]: T[K] extends string ? string : Words<T[K]> };

export type Catalogue = Words<typeof en>;
export type Area = keyof Catalogue;

const CATALOGUES: Record<Locale, Catalogue> = { en, zh };

/** The words of some areas of the console; a page sends its visitor only those it shows. */
export function messagesFor<A extends Area>(locale: Locale, areas: readonly A[]): Pick<Catalogue, A> {
  const all = CATALOGUES[locale];
  // Every key asked for is there: the catalogues' types are the same.
  return Object.fromEntries(areas.map((area) => [area, all[area]])) as Pick<Catalogue, A>;
}
