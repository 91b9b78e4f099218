import { AlertsPage } from "@/components/alerts/alerts-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";
import { readFirstAlerts } from "./first-alerts";

export const generateMetadata = () => pageTitle("alerts");

export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/alerts", await searchParams);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["alerts"])}>
      <AlertsPage first={await readFirstAlerts(pageSession)} />
    </MessagesProvider>
  );
}
