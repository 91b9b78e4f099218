import { notFound } from "next/navigation";
import { type Resume, Wizard } from "@/components/setup/wizard";
import { getPageSession } from "@/lib/server/process/page-session";
import { PageMessages } from "../page-messages";
import { pageTitle } from "../request";
import { isSetUp, unfinishedSetupStep } from "../setup-state";

export const dynamic = "force-dynamic";
export const generateMetadata = () => pageTitle("setup");

/** Public before initial setup, then only for an owner who has not finished the wizard; 404 for everyone else. */
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
  const step = pageSession?.user.role === "owner" ? await unfinishedSetupStep() : null;
  if (!pageSession || step === null) notFound();
  return { username: pageSession.user.username, step };
}
