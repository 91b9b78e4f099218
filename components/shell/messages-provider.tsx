"use client";

import { type ReactNode, useMemo } from "react";
import { IntlProvider, useLocale, useMessages, useTimeZone } from "use-intl";
import type { Area, Catalogue } from "@/lib/messages/catalogue";
import type { Locale } from "@/lib/messages/locale";

/** Gives the whole page its language and the words every page shares. */
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
    // The areas of a page are added below it by MessagesProvider.
    <IntlProvider locale={locale} messages={messages as Catalogue} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}

/** Adds the words of some areas to those already there: `<MessagesProvider messages={messagesFor(locale, ["apiKeys"])}>`. */
export function MessagesProvider({
  messages,
  children,
}: {
  messages: Partial<Pick<Catalogue, Area>>;
  children: ReactNode;
}) {
  const locale = useLocale();
  const timeZone = useTimeZone();
  const inherited = useMessages();
  const all = useMemo(() => ({ ...inherited, ...messages }), [inherited, messages]);
  return (
    <IntlProvider locale={locale} messages={all} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}
