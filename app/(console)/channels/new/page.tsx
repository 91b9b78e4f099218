import { NewChannelPage } from "@/components/channels/form/new-channel-page";
import { PageMessages } from "../../../page-messages";
import { pageTitle } from "../../../request";
import { requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitle("channels");

export default async function Page() {
  const { user } = await requireAdminPage("/channels/new");
  return (
    <PageMessages areas={["channels"]}>
      <NewChannelPage mayAllow={user.role === "owner"} />
    </PageMessages>
  );
}
