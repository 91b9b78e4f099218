import { cookies, headers } from "next/headers";
import { cache } from "react";
import { LOCALE_COOKIE, type Locale, pickLocale } from "@/lib/messages/locale";

/** The language of this request: the choice kept in this browser, else what the browser asks for. */
export const requestLocale = cache(async (): Promise<Locale> => {
  const [jar, head] = await Promise.all([cookies(), headers()]);
  return pickLocale(jar.get(LOCALE_COOKIE)?.value, head.get("accept-language"));
});

/** The nonce of this request's Content-Security-Policy; undefined where no server of ours set one. */
export async function requestNonce(): Promise<string | undefined> {
  const policy = (await headers()).get("content-security-policy");
  return policy?.match(/'nonce-([A-Za-z0-9+/_=-]+)'/)?.[1];
}
