import type { Metadata } from "next";
import { RequestsPage } from "@/components/requests/requests-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { PageMessages } from "../../page-messages";
import { type PageQuery, requestLocale } from "../../request";
import { requireAdminPage } from "../guard";

export async function generateMetadata(): Promise<Metadata> {
  return { title: messagesFor(await requestLocale(), ["requests"]).requests.page.title };
}

export default async function Page({ searchParams }: PageQuery) {
  await requireAdminPage("/logs", await searchParams);
  const { services } = await getContainer();
  return (
    <PageMessages areas={["requests"]}>
      <RequestsPage now={services.clock.now()} timeZone={services.instance.timeZone} />
    </PageMessages>
  );
}
