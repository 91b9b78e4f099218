import { notFound, redirect } from "next/navigation";
import { type Resume, Wizard } from "@/components/setup/wizard";
import { getPageSession } from "@/lib/server/process/page-session";
import { PageMessages } from "../page-messages";
import { pageTitle } from "../request";
import { isSetUp, unfinishedSetupStep } from "../setup-state";

export const dynamic = "force-dynamic";
export const generateMetadata = () => pageTitle("setup");

/**
 * Public before initial setup, then only for an owner who has not finished the wizard. Other users are redirected to the
 * overview: the browser's Back leads here from the page after the wizard. 404 without a session.
 */
export default async function SetupPage() {
  const resume = (await isSetUp()) ? await requireUnfinishedOwner() : null;
  return (
    <PageMessages areas={["setup", "twoFactor", "apiKeys"]}>
      <Wizard resume={resume} />
    </PageMessages>
  );
}

async function requireUnfinishedOwner(): Promise<Resume> {
  const pageSession = await getPageSession();
  if (!pageSession) notFound();
  const step = pageSession.user.role === "owner" ? await unfinishedSetupStep() : null;
  if (step === null) redirect("/");
  return { username: pageSession.user.username, step };
}
