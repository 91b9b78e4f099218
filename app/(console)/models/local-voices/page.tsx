import { notFound } from "next/navigation";
import { LocalVoicesPage } from "@/components/local-voices/local-voices-page";
import { listLocalVoices } from "@/lib/console/voices/list";
import { PageMessages } from "../../../page-messages";
import { type PageQuery, pageTitle } from "../../../request";
import { pageContext, requireAdminPage } from "../../guard";

export const generateMetadata = () => pageTitle("localVoices");

/** For the owner; for others the page does not exist. */
export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/models/local-voices", await searchParams);
  if (pageSession.user.role !== "owner") notFound();
  const first = await listLocalVoices(await pageContext(pageSession));
  return (
    <PageMessages areas={["localVoices"]}>
      <LocalVoicesPage first={first} />
    </PageMessages>
  );
}
