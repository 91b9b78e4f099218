import { EditChannelPage } from "@/components/channels/form/edit-channel-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { pageTitle, requestLocale } from "../../../../request";
import { requireAdminPage } from "../../../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { user } = await requireAdminPage(`/channels/${id}/edit`);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["channels"])}>
      <EditChannelPage id={decodeURIComponent(id)} mayAllow={user.role === "owner"} />
    </MessagesProvider>
  );
}
