import { headers } from "next/headers";
import { MessagesProvider } from "@/components/intl/messages-provider";
import { OverviewPage } from "@/components/overview/overview-page";
import { hasTwoFactor } from "@/lib/domain/users/to-user";
import { PEER_HEADER, peerFrom } from "@/lib/http/peer-header";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/container";
import { unfinishedSetupStep } from "../claim";
import { pageTitle, requestLocale } from "../request";
import { requirePageSession } from "./guard";

export const generateMetadata = () => pageTitle("overview");

/** How many of the newest calls and keys are looked at to tell which first steps are done. */
const LOOK_BACK = 50;

export default async function Page() {
  const { user } = await requirePageSession("/");
  const { services } = await getContainer();
  const { store, catalog } = services;
  const own = { limit: LOOK_BACK, cursor: null, q: null };
  const [origin, calls, keys, factor, models, unfinished] = await Promise.all([
    servedOrigin(),
    store.ledger.list({ ...own, userId: user.id }),
    store.keys.list({ ...own, ownerId: user.id }),
    hasTwoFactor(store, user.id),
    catalog.all(),
    user.role === "owner" ? unfinishedSetupStep() : null,
  ]);
  const done = {
    speech: calls.items.some((call) => call.operation === "speech"),
    embeddings: calls.items.some((call) => call.operation === "embeddings"),
    factor,
    key: keys.items.length > 0,
    call: keys.items.some((key) => key.lastUsedAt !== null),
  };
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["overview"])}>
      <OverviewPage
        origin={origin}
        done={done}
        isSetupUnfinished={unfinished !== null}
        models={models.map(({ model }) => ({ name: model.name, operation: model.operation }))}
      />
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
