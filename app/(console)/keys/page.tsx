import { MessagesProvider } from "@/components/intl/messages-provider";
import { KeysPage } from "@/components/keys/keys-page";
import { readSettings } from "@/lib/domain/settings/read";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/container";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("keys");

export default async function Page({ searchParams }: PageQuery) {
  const { user } = await requirePageSession("/keys", await searchParams);
  const { services } = await getContainer();
  const [settings, someUsers] = await Promise.all([
    readSettings(services.store),
    services.store.users.list({ limit: 2, cursor: null, q: null }),
  ]);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["keys"])}>
      <KeysPage
        viewer={{ id: user.id, role: user.role }}
        hasOthers={user.role !== "member" && someUsers.items.length > 1}
        hidesBudgets={settings.self_use_mode}
      />
    </MessagesProvider>
  );
}
