import { AccountPage } from "@/components/account/account-page";
import { hasTwoFactor, toSelf } from "@/lib/console/users/to-user";
import { getContainer } from "@/lib/server/process/container";
import { PageMessages } from "../../page-messages";
import { pageTitle } from "../../request";
import { mayRegister } from "../../setup-state";
import { requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("account");

export default async function Page() {
  const { user, session, mustEnrol } = await requirePageSession("/account");
  const { services } = await getContainer();
  const self = toSelf(user, session, await hasTwoFactor(services.store, user.id));
  const canSetEmail = user.role !== "member" || !(await mayRegister());
  return (
    <PageMessages areas={["account", "twoFactor"]}>
      <AccountPage
        self={self}
        mustEnrol={mustEnrol}
        canSetEmail={canSetEmail}
        passwordMinimum={services.instance.passwordMinimum}
      />
    </PageMessages>
  );
}
