import { UsersPage } from "@/components/users/users-page";
import { searchText } from "@/lib/client/query-params";
import { readSettings } from "@/lib/console/access/read-settings";
import { listInvites } from "@/lib/console/users/invites/manage";
import { listUsers } from "@/lib/console/users/managed-users";
import { ListQuery } from "@/lib/contracts/paging";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("users");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const pageSession = await requireAdminPage("/users", query);
  const ctx = await pageContext(pageSession);
  const q = [query.q ?? ""].flat()[0] ?? "";
  const listQuery = ListQuery.safeParse({ q: searchText(q) ?? undefined });
  const [settings, users, links] = await Promise.all([
    readSettings(ctx.store),
    listQuery.success ? listUsers(ctx, listQuery.data) : null,
    listInvites(ctx, ListQuery.parse({})),
  ]);
  return (
    <PageMessages areas={["users"]}>
      <UsersPage
        viewer={{ id: pageSession.user.id, role: pageSession.user.role }}
        hidesBudgets={settings.self_use_mode}
        initial={{ q, users, links }}
      />
    </PageMessages>
  );
}
