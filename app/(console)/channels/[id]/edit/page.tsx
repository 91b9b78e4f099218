import { EditChannelPage } from "@/components/channels/form/edit-channel-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { PageMessages } from "../../../../page-messages";
import { requestLocale } from "../../../../request";
import { requireAdminPage } from "../../../guard";

export const generateMetadata = async () => ({
  title: messagesFor(await requestLocale(), ["channels"]).channels.titles.edit,
});

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { user } = await requireAdminPage(`/channels/${id}/edit`);
  return (
    <PageMessages areas={["channels"]}>
      <EditChannelPage id={decodeURIComponent(id)} mayAllow={user.role === "owner"} />
    </PageMessages>
  );
}
