import { MessagesProvider } from "@/components/shell/messages-provider";
import { UsagePage } from "@/components/usage/usage-page";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { type PageQuery, pageTitle, requestLocale } from "../../request";
import { requirePageSession } from "../guard";

export const generateMetadata = () => pageTitle("usage");

export default async function Page({ searchParams }: PageQuery) {
  const { user } = await requirePageSession("/usage", await searchParams);
  const { services } = await getContainer();
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["requests", "usage"])}>
      <UsagePage isAdmin={user.role !== "member"} now={services.clock.now()} />
    </MessagesProvider>
  );
}
