import { ModelsPage } from "@/components/models/models-page";
import { listModels } from "@/lib/console/models/manage";
import { MAX_PAGE_SIZE } from "@/lib/contracts/paging";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("models");

export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/models", await searchParams);
  const ctx = await pageContext(pageSession);
  return (
    <PageMessages areas={["models", "channels"]}>
      <ModelsPage
        first={await listModels(ctx, { limit: MAX_PAGE_SIZE })}
        isOwner={pageSession.user.role === "owner"}
      />
    </PageMessages>
  );
}
