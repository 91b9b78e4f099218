import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { usableModels } from "../playground/usable-models";

const BUILT_IN: ExampleModels = { speech: "patchbay-speech", embeddings: "patchbay-embed" };

/** The models that examples call: the built-in ones if they are served, else the first model served. */
export async function exampleModels(): Promise<ExampleModels> {
  const [speech, embeddings] = await Promise.all([usableModels("speech"), usableModels("embeddings")]);
  const pick = (served: readonly { name: string }[], preferred: string) =>
    (served.find(({ name }) => name === preferred) ?? served[0])?.name ?? preferred;
  return {
    speech: pick(speech, BUILT_IN.speech),
    embeddings: pick(embeddings, BUILT_IN.embeddings),
  };
}
