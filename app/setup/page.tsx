import { notFound } from "next/navigation";
import { type Resume, Wizard } from "@/components/setup/wizard";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { pageTitle, requestLocale } from "../request";
import { isSetUp, unfinishedSetupStep } from "../setup-state";

export const dynamic = "force-dynamic";
export const generateMetadata = () => pageTitle("setup");

/** Open to anybody before the claim, to the owner until they have finished; nothing is here for the rest. */
export default async function SetupPage() {
  const resume = (await isSetUp()) ? await requireUnfinishedOwner() : null;
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["setup", "twoFactor", "apiKeys"])}>
      <Wizard resume={resume} />
    </MessagesProvider>
  );
}

async function requireUnfinishedOwner(): Promise<Resume> {
  const found = await getPageSession();
  const step = found?.user.role === "owner" ? await unfinishedSetupStep() : null;
  if (!found || step === null) notFound();
  return { username: found.user.username, step };
}
