import { AuditPage } from "@/components/audit/audit-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("audit");

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/audit", await searchParams);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["audit"])}>
      <AuditPage />
    </MessagesProvider>
  );
}
