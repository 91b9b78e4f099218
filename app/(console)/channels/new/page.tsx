import { NewChannelPage } from "@/components/channels/form/new-channel-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { PageMessages } from "../../../page-messages";
import { requestLocale } from "../../../request";
import { requireAdminPage } from "../../guard";

export const generateMetadata = async () => ({
  title: messagesFor(await requestLocale(), ["channels"]).channels.form.createTitle,
});

export default async function Page() {
  const { user } = await requireAdminPage("/channels/new");
  return (
    <PageMessages areas={["channels"]}>
      <NewChannelPage mayAllow={user.role === "owner"} />
    </PageMessages>
  );
}
