import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { cache } from "react";
import { PEER_HEADER, peerFrom } from "@/lib/http/core/peer-header";
import { type Catalogue, messagesFor } from "@/lib/messages/catalogue";
import { LOCALE_COOKIE, type Locale, pickLocale } from "@/lib/messages/locale";
import { getContainer } from "@/lib/server/process/container";
import { getPageSession } from "@/lib/server/process/page-session";

/** Message areas with a page title. */
type TitledArea = {
  [Area in keyof Catalogue]: Catalogue[Area] extends { title: string } ? Area : never;
}[keyof Catalogue];

/** The language of this request: from the browser's cookie, else the account, else the Accept-Language header. */
export const requestLocale = cache(async (): Promise<Locale> => {
  const [requestCookies, requestHeaders] = await Promise.all([cookies(), headers()]);
  // An error of the store is ignored here: the page reports it, inside the layout that needs the language.
  const ofAccount = async () => (await getPageSession().catch(() => null))?.user.locale;
  const chosen = requestCookies.get(LOCALE_COOKIE)?.value ?? (await ofAccount());
  return pickLocale(chosen, requestHeaders.get("accept-language"));
});

/** The nonce of this request's Content-Security-Policy; undefined without the Node adapter, which sets it. */
export async function requestNonce(): Promise<string | undefined> {
  const policy = (await headers()).get("content-security-policy");
  return policy?.match(/'nonce-([A-Za-z0-9+/_=-]+)'/)?.[1];
}

/** The origin of this request's URL: the configured base URL, else the Host header. */
export async function servedOrigin(): Promise<string> {
  const { services } = await getContainer();
  const { baseUrl } = services.instance;
  if (baseUrl) return new URL(baseUrl).origin;
  const requestHeaders = await headers();
  const { isSecure } = peerFrom(requestHeaders.get(PEER_HEADER), null);
  return `${isSecure ? "https" : "http"}://${requestHeaders.get("host") ?? "localhost"}`;
}

/** The page title of a message area, in the language of this request. */
export const pageTitle = (area: TitledArea): Promise<Metadata> => pageTitleOf(area, ({ title }) => title);

/** A page title from any message of an area, in the language of this request. */
export async function pageTitleOf<Area extends keyof Catalogue>(
  area: Area,
  pick: (messages: Catalogue[Area]) => string,
): Promise<Metadata> {
  return { title: pick(messagesFor(await requestLocale(), [area])[area]) };
}

/** The `searchParams` prop that Next passes to a page. */
export interface PageQuery {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}
