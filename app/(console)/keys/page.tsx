import { KeysPage } from "@/components/api-keys/keys-page";
import { searchText } from "@/lib/client/query-params";
import { readSettings } from "@/lib/console/access/read-settings";
import { listKeys } from "@/lib/console/api-keys/manage";
import { shownLimits } from "@/lib/console/users/to-user";
import { KeyQuery } from "@/lib/contracts/console/api-keys";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("apiKeys");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const pageSession = await requirePageSession("/keys", query);
  const { user } = pageSession;
  const ctx = await pageContext(pageSession);
  const param = (name: string) => [query[name] ?? ""].flat()[0] ?? "";
  const [q, owner] = [param("q"), user.role === "member" ? null : param("owner") || null];
  const keyQuery = KeyQuery.safeParse({
    q: searchText(q) ?? undefined,
    ...(owner === null ? {} : { owner_id: owner }),
  });
  const [settings, firstUsers, models, keys] = await Promise.all([
    readSettings(ctx.store),
    ctx.store.users.list({ limit: 2, cursor: null, q: null }),
    ctx.store.models.all(),
    keyQuery.success ? listKeys(ctx, keyQuery.data) : null,
  ]);
  return (
    <PageMessages areas={["apiKeys"]}>
      <KeysPage
        viewer={{ id: user.id, role: user.role }}
        hasOthers={user.role !== "member" && firstUsers.items.length > 1}
        // Disabled models are not shown to members.
        models={models
          .filter((model) => model.enabled || user.role !== "member")
          .map(({ name, aliases, operation }) => ({ name, aliases, operation }))}
        ownLimits={shownLimits(user)}
        hidesBudgets={settings.self_use_mode}
        initial={{ q, owner, keys }}
      />
    </PageMessages>
  );
}
