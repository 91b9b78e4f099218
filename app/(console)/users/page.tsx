import { MessagesProvider } from "@/components/intl/messages-provider";
import { UsersPage } from "@/components/users/users-page";
import { readSettings } from "@/lib/domain/settings/read";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/container";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("users");

export default async function Page({ searchParams }: PageQuery) {
  const { user } = await requireAdminPage("/users", await searchParams);
  const { services } = await getContainer();
  const settings = await readSettings(services.store);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["users"])}>
      <UsersPage viewer={{ id: user.id, role: user.role }} hidesBudgets={settings.self_use_mode} />
    </MessagesProvider>
  );
}
