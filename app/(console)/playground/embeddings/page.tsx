import { EmbeddingsPlayground } from "@/components/embeddings/embeddings-playground";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { isLexical } from "@/lib/console/models/playground-models";
import { messagesFor } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/process/container";
import { pageTitle, requestLocale } from "../../../request";
import { requirePageSession } from "../../guard";
import { usableModels } from "../usable-models";

export const generateMetadata = () => pageTitle("embeddings");

/** Models that only the built-in lexical engine serves; the page explains what it cannot match. */
async function lexicalModels(): Promise<string[]> {
  const { services } = await getContainer();
  return (await services.catalog.all())
    .filter((entry) => entry.routes.length > 0 && isLexical(entry))
    .map(({ model }) => model.name);
}

export default async function EmbeddingsPage() {
  const pageSession = await requirePageSession("/playground/embeddings");
  const [locale, models, lexical] = await Promise.all([
    requestLocale(),
    usableModels(pageSession, "embeddings"),
    lexicalModels(),
  ]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["playground", "requests", "embeddings"])}>
      <EmbeddingsPlayground models={models} lexicalModels={lexical} />
    </MessagesProvider>
  );
}
