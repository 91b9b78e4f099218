import { EditChannelPage } from "@/components/channels/form/edit-channel-page";
import { PageMessages } from "../../../../page-messages";
import { pageTitleOf } from "../../../../request";
import { requireAdminPage } from "../../../guard";

export const generateMetadata = () => pageTitleOf("channels", (messages) => messages.titles.edit);

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { user } = await requireAdminPage(`/channels/${id}/edit`);
  return (
    <PageMessages areas={["channels"]}>
      <EditChannelPage id={decodeURIComponent(id)} mayAllow={user.role === "owner"} />
    </PageMessages>
  );
}
