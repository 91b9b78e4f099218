import { NewChannelPage } from "@/components/channels/form/new-channel-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { pageTitle, requestLocale } from "../../../request";
import { requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page() {
  const { user } = await requireAdminPage("/channels/new");
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <NewChannelPage mayAllow={user.role === "owner"} />
    </MessagesProvider>
  );
}
