import { redirect } from "next/navigation";
import { TwoFactorForm } from "@/components/sign-in/two-factor-form";
import { safeReturnPath } from "@/lib/contracts/return-path";
import { getPageSession, hasPendingCookie } from "@/lib/server/process/page-session";
import { type PageQuery, pageTitle } from "../../request";

export const generateMetadata = () => pageTitle("signIn");

export default async function TwoFactorPage({ searchParams }: PageQuery) {
  const query = await searchParams;
  const returnTo = safeReturnPath(typeof query.return_to === "string" ? query.return_to : null);
  if (await getPageSession()) redirect(returnTo);
  return <TwoFactorForm returnTo={returnTo} hasCookie={await hasPendingCookie()} />;
}
