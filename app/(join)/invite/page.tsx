import { redirect } from "next/navigation";
import { InvitePage } from "@/components/sign-in/join/invite-page";
import { getPageSession } from "@/lib/server/process/page-session";
import { pageTitleOf } from "../../request";
import { isSetUp } from "../../setup-state";

export const generateMetadata = () => pageTitleOf("join", (messages) => messages.invite.title);

/** Public. The link's token is in the URL fragment, which is never sent to the server. */
export default async function Page() {
  if (!(await isSetUp())) redirect("/setup");
  const pageSession = await getPageSession();
  return <InvitePage signedInAs={pageSession?.user.username ?? null} />;
}
