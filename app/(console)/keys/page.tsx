import { KeysPage } from "@/components/api-keys/keys-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { readSettings } from "@/lib/console/access/read-settings";
import { listKeys } from "@/lib/console/api-keys/list";
import { shownLimits } from "@/lib/console/users/to-user";
import { KeyQuery } from "@/lib/contracts/console/api-keys";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requirePageSession } from "../guard";
import { pageContext } from "../page-context";

export const generateMetadata = () => pageTitle("apiKeys");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const found = await requirePageSession("/keys", query);
  const { user } = found;
  const ctx = await pageContext(found);
  const asked = (name: string) => [query[name] ?? ""].flat()[0] ?? "";
  const [q, owner] = [asked("q"), user.role === "member" ? null : asked("owner") || null];
  const listed = KeyQuery.safeParse({
    ...(q.trim().length >= 2 ? { q: q.trim() } : {}),
    ...(owner === null ? {} : { owner_id: owner }),
  });
  const [settings, someUsers, models, keys] = await Promise.all([
    readSettings(ctx.store),
    ctx.store.users.list({ limit: 2, cursor: null, q: null }),
    ctx.store.models.all(),
    listed.success ? listKeys(ctx, listed.data) : null,
  ]);
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["apiKeys"])}>
      <KeysPage
        viewer={{ id: user.id, role: user.role }}
        hasOthers={user.role !== "member" && someUsers.items.length > 1}
        // Members do not hear of models that are off.
        modelNames={models
          .filter((model) => model.enabled || user.role !== "member")
          .flatMap((model) => [model.name, ...model.aliases])}
        ownLimits={shownLimits(user)}
        hidesBudgets={settings.self_use_mode}
        first={{ q, owner, keys }}
      />
    </MessagesProvider>
  );
}
