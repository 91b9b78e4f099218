import { ModelsPage } from "@/components/models/models-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { listModels } from "@/lib/console/models/manage";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("models");

export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/models", await searchParams);
  const ctx = await pageContext(pageSession);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["models", "channels"])}>
      <ModelsPage first={await listModels(ctx)} isOwner={pageSession.user.role === "owner"} />
    </MessagesProvider>
  );
}
