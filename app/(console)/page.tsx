import { OverviewPage } from "@/components/overview/overview-page";
import { PageMessages } from "../page-messages";
import { type PageQuery, pageTitle, servedOrigin } from "../request";
import { requirePageSession } from "./guard";
import { readInitialOverview } from "./overview";

export const generateMetadata = () => pageTitle("overview");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const pageSession = await requirePageSession("/", query);
  const [origin, initial] = await Promise.all([servedOrigin(), readInitialOverview(pageSession, query)]);
  return (
    <PageMessages areas={["overview", "requests", "channels"]}>
      <OverviewPage origin={origin} isAdmin={pageSession.user.role !== "member"} {...initial} />
    </PageMessages>
  );
}
