import { redirect } from "next/navigation";
import { ResetPage } from "@/components/sign-in/join/reset-page";
import { getPageSession } from "@/lib/server/process/page-session";
import { pageTitleOf } from "../../request";
import { isSetUp } from "../../setup-state";

export const generateMetadata = () => pageTitleOf("join", (messages) => messages.reset.title);

/** Public. The link's token is in the URL fragment, which is never sent to the server. */
export default async function Page() {
  if (!(await isSetUp())) redirect("/setup");
  const pageSession = await getPageSession();
  return <ResetPage signedInAs={pageSession?.user.username ?? null} />;
}
