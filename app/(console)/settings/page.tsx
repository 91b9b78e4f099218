import { SettingsPage } from "@/components/settings/settings-page";
import { readAllowedUpstreams } from "@/lib/console/channels/allow-upstream";
import { instanceFacts } from "@/lib/console/settings/instance-facts";
import { showSettings } from "@/lib/console/settings/update";
import { hasTwoFactor } from "@/lib/console/users/to-user";
import { PageMessages } from "../../page-messages";
import { type PageQuery, pageTitle } from "../../request";
import { pageContext, requireAdminPage } from "../guard";

export const generateMetadata = () => pageTitle("settings");

export default async function Page({ searchParams }: PageQuery) {
  const pageSession = await requireAdminPage("/settings", await searchParams);
  const { user } = pageSession;
  const ctx = await pageContext(pageSession);
  const [settings, facts, targets, hasTwoFactorEnabled] = await Promise.all([
    showSettings(ctx),
    instanceFacts(ctx),
    readAllowedUpstreams(ctx.store),
    hasTwoFactor(ctx.store, user.id),
  ]);
  const isOwner = user.role === "owner";
  const state = { settings, facts, upstreams: { targets }, isOwner, hasTwoFactor: hasTwoFactorEnabled };
  return (
    <PageMessages areas={["settings", "account"]}>
      <SettingsPage state={state} />
    </PageMessages>
  );
}
