import type { ReactNode } from "react";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { type Area, messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "./request";

/** Sends the browser the messages of some areas, in the language of this request. */
export async function PageMessages({ areas, children }: { areas: readonly Area[]; children: ReactNode }) {
  const locale = await requestLocale();
  return (
    <MessagesProvider messagesLocale={locale} messages={messagesFor(locale, areas)}>
      {children}
    </MessagesProvider>
  );
}
