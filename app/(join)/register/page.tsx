import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { RegisterPage } from "@/components/sign-in/join/register-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getPageSession } from "@/lib/server/process/page-session";
import { requestLocale } from "../../request";
import { isSetUp, mayRegister } from "../../setup-state";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["join"]).join.register.title };
}

/** 404 unless self-registration is allowed. */
export default async function Page() {
  if (!(await isSetUp()) || !(await mayRegister())) notFound();
  if (await getPageSession()) redirect("/");
  return <RegisterPage />;
}
