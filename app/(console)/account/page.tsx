import { AccountPage } from "@/components/account/account-page";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { hasTwoFactor, toSelf } from "@/lib/console/users/to-user";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { pageTitle, requestLocale } from "../../request";
import { requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("account");

export default async function Page() {
  const { user, session, mustEnrol } = await requirePageSession("/account");
  const { services } = await getContainer();
  const self = toSelf(user, session, await hasTwoFactor(services.store, user.id));
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["account", "twoFactor"])}>
      <AccountPage self={self} mustEnrol={mustEnrol} passwordMinimum={services.instance.passwordMinimum} />
    </MessagesProvider>
  );
}
