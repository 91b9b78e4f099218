import { notFound, redirect } from "next/navigation";
import { RegisterPage } from "@/components/sign-in/join/register-page";
import { getPageSession } from "@/lib/server/process/page-session";
import { pageTitleOf } from "../../request";
import { isSetUp, mayRegister } from "../../setup-state";

export const generateMetadata = () => pageTitleOf("join", (messages) => messages.register.title);

/** 404 unless self-registration is allowed. */
export default async function Page() {
  if (!(await isSetUp()) || !(await mayRegister())) notFound();
  if (await getPageSession()) redirect("/");
  return <RegisterPage />;
}
