import { MessagesProvider } from "@/components/intl/messages-provider";
import { ModelsPage } from "@/components/models/models-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("models");

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/models", await searchParams);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["models", "channels"])}>
      <ModelsPage />
    </MessagesProvider>
  );
}
