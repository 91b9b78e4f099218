import { NewChannelPage } from "@/components/channels/form/new-channel-page";
import { PageMessages } from "../../../page-messages";
import { pageTitleOf } from "../../../request";
import { requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitleOf("channels", (messages) => messages.form.createTitle);

export default async function Page() {
  const { user } = await requireAdminPage("/channels/new");
  return (
    <PageMessages areas={["channels"]}>
      <NewChannelPage mayAllow={user.role === "owner"} />
    </PageMessages>
  );
}
