"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useMemo } from "react";
import { IntlProvider, useLocale, useMessages, useTimeZone } from "use-intl";
import type { Area, Catalogue } from "@/lib/messages/catalogue";
import type { Locale } from "@/lib/messages/locale";
import "./zod-config";

/** Provides the locale and the messages that every page uses. */
export function LocaleProvider({
  locale,
  messages,
  children,
}: {
  locale: Locale;
  messages: Pick<Catalogue, "common">;
  children: ReactNode;
}) {
  const timeZone = useMemo(() => Intl.DateTimeFormat().resolvedOptions().timeZone, []);
  return (
    // Only `common`: pages add their own areas with MessagesProvider.
    <IntlProvider locale={locale} messages={messages as Catalogue} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}

/**
 * Adds a page's message areas, in the language `messagesLocale`; `PageMessages` (app/page-messages.tsx) reads them. When
 * the language was changed in another tab, it also loads the layout around the page again.
 */
export function MessagesProvider({
  messagesLocale,
  messages,
  children,
}: {
  messagesLocale: Locale;
  messages: Partial<Pick<Catalogue, Area>>;
  children: ReactNode;
}) {
  const locale = useLocale();
  const timeZone = useTimeZone();
  const inherited = useMessages();
  const router = useRouter();
  const isOther = messagesLocale !== locale;
  useEffect(() => {
    if (isOther) router.refresh();
  }, [isOther, router]);
  const all = useMemo(() => ({ ...inherited, ...messages }), [inherited, messages]);
  return (
    <IntlProvider locale={locale} messages={all} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}
