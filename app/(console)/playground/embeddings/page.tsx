import { EmbeddingsPlayground } from "@/components/embeddings/embeddings-playground";
import { embeddingEngine } from "@/lib/console/models/playground-models";
import { getContainer } from "@/lib/server/process/container";
import { PageMessages } from "../../../page-messages";
import { pageTitle } from "../../../request";
import { requirePageSession } from "../../guard";
import { usableModels } from "../usable-models";

export const generateMetadata = () => pageTitle("embeddings");

/** The built-in engines by model; the page explains what each cannot match. */
async function builtInEngines(): Promise<Record<string, "lexical" | "semantic">> {
  const { services } = await getContainer();
  const engines = (await services.catalog.all()).flatMap((entry) => {
    const engine = embeddingEngine(entry);
    return engine === null ? [] : [[entry.model.name, engine] as const];
  });
  return Object.fromEntries(engines);
}

export default async function EmbeddingsPage() {
  const pageSession = await requirePageSession("/playground/embeddings");
  const [models, engines] = await Promise.all([usableModels(pageSession, "embeddings"), builtInEngines()]);
  return (
    <PageMessages areas={["playground", "requests", "embeddings"]}>
      <EmbeddingsPlayground role={pageSession.user.role} models={models} engines={engines} />
    </PageMessages>
  );
}
