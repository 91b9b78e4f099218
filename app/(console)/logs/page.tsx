import { RequestsPage } from "@/components/requests/requests-page";
import { getContainer } from "@/lib/server/process/container";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitleOf } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitleOf("requests", (messages) => messages.page.title);

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/logs", await searchParams);
  const { services } = await getContainer();
  return (
    <PageMessages areas={["requests"]}>
      <RequestsPage now={services.clock.now()} timeZone={services.instance.timeZone} />
    </PageMessages>
  );
}
