import { AuditPage } from "@/components/audit/audit-page";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("audit");

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/audit", await searchParams);
  return (
    <PageMessages areas={["audit"]}>
      <AuditPage />
    </PageMessages>
  );
}
