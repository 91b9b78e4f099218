import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { cache } from "react";
import { PEER_HEADER, peerFrom } from "@/lib/http/core/peer-header";
import { type Catalogue, messagesFor } from "@/lib/messages/catalogue";
import { LOCALE_COOKIE, type Locale, pickLocale } from "@/lib/messages/locale";
import { getContainer } from "@/lib/server/process/container";
import { getPageSession } from "@/lib/server/process/page-session";

/** Areas that name a page. */
type TitledArea = {
  [Area in keyof Catalogue]: Catalogue[Area] extends { title: string } ? Area : never;
}[keyof Catalogue];

/** The language of this request: the choice kept in this browser, else the account's, else what the browser asks for. */
export const requestLocale = cache(async (): Promise<Locale> => {
  const [jar, head] = await Promise.all([cookies(), headers()]);
  const chosen = jar.get(LOCALE_COOKIE)?.value ?? (await getPageSession())?.user.locale;
  return pickLocale(chosen, head.get("accept-language"));
});

/** The nonce of this request's Content-Security-Policy; undefined where no server of ours set one. */
export async function requestNonce(): Promise<string | undefined> {
  const policy = (await headers()).get("content-security-policy");
  return policy?.match(/'nonce-([A-Za-z0-9+/_=-]+)'/)?.[1];
}

/** The address under which this visitor reaches the service. */
export async function servedOrigin(): Promise<string> {
  const { services } = await getContainer();
  const { baseUrl } = services.instance;
  if (baseUrl) return new URL(baseUrl).origin;
  const head = await headers();
  const { isSecure } = peerFrom(head.get(PEER_HEADER), null);
  return `${isSecure ? "https" : "http"}://${head.get("host") ?? "localhost"}`;
}

/** The title of an area's page in the visitor's language. */
export async function pageTitle(area: TitledArea): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), [area])[area].title };
}

/** What Next hands a page besides its path. */
export interface PageQuery {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}
