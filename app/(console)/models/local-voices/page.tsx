import { notFound } from "next/navigation";
import { LocalVoicesPage } from "@/components/local-voices/local-voices-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { listLocalVoices } from "@/lib/console/voices/list";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../../request";
import { pageContext, requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitle("localVoices");

/** For the owner; for others the page does not exist. */
export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/models/local-voices", await searchParams);
  if (pageSession.user.role !== "owner") notFound();
  const first = await listLocalVoices(await pageContext(pageSession));
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["localVoices"])}>
      <LocalVoicesPage first={first} />
    </MessagesProvider>
  );
}
