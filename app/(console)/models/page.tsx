import { MessagesProvider } from "@/components/intl/messages-provider";
import { ModelsPage } from "@/components/models/models-page";
import { listModels } from "@/lib/domain/models/manage";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";
import { pageContext } from "../page-context";

export const generateMetadata = () => pageTitle("models");

export default async function Page({ searchParams }: PageQuery) {
  const ctx = await pageContext(await requireAdminPage("/models", await searchParams));
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["models", "channels"])}>
      <ModelsPage first={await listModels(ctx)} />
    </MessagesProvider>
  );
}
