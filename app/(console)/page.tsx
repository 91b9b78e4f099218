import { headers } from "next/headers";
import { MessagesProvider } from "@/components/intl/messages-provider";
import { OverviewPage } from "@/components/overview/overview-page";
import { PEER_HEADER, peerFrom } from "@/lib/http/peer-header";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/container";
import { type PageQuery, pageTitle, requestLocale } from "../request";
import { requirePageSession } from "./guard";
import { readFirstPaint } from "./overview";

export const generateMetadata = () => pageTitle("overview");

export default async function Page({ searchParams }: PageQuery) {
  const query = await searchParams;
  const found = await requirePageSession("/", query);
  const [origin, locale, first] = await Promise.all([
    servedOrigin(),
    requestLocale(),
    readFirstPaint(found, query),
  ]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["overview", "calls", "channels"])}>
      <OverviewPage origin={origin} isAdmin={found.user.role !== "member"} {...first} />
    </MessagesProvider>
  );
}

/** The address under which this visitor reaches the service. */
async function servedOrigin(): Promise<string> {
  const { services } = await getContainer();
  const { baseUrl } = services.instance;
  if (baseUrl) return new URL(baseUrl).origin;
  const head = await headers();
  const { isSecure } = peerFrom(head.get(PEER_HEADER), null);
  return `${isSecure ? "https" : "http"}://${head.get("host") ?? "localhost"}`;
}
