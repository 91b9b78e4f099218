import { UsagePage } from "@/components/usage/usage-page";
import { getContainer } from "@/lib/server/process/container";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("usage");

export default async function Page({ searchParams }: PageQuery) {
  const { user } = await requirePageSession("/usage", await searchParams);
  const { services } = await getContainer();
  return (
    <PageMessages areas={["requests", "usage"]}>
      <UsagePage
        isAdmin={user.role !== "member"}
        now={services.clock.now()}
        timeZone={services.instance.timeZone}
      />
    </PageMessages>
  );
}
