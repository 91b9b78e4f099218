import { redirect } from "next/navigation";
import { PasswordForm, type SignInReason } from "@/components/sign-in/password-form";
import { safeReturnPath } from "@/lib/contracts/return-path";
import { getPageSession } from "@/lib/server/process/page-session";
import { type PageQuery, pageTitle } from "../request";
import { isSetUp, mayRegister } from "../setup-state";

export const generateMetadata = () => pageTitle("signIn");

const REASONS: readonly SignInReason[] = ["ended", "expired", "spent", "taken", "noCookie"];

export default async function SignInPage({ searchParams }: PageQuery) {
  const query = await searchParams;
  const returnTo = safeReturnPath(typeof query.return_to === "string" ? query.return_to : null);
  if (await getPageSession()) redirect(returnTo);
  if (!(await isSetUp())) redirect("/setup");
  const reason = REASONS.find((one) => one === query.reason) ?? null;
  return <PasswordForm returnTo={returnTo} reason={reason} mayRegister={await mayRegister()} />;
}
