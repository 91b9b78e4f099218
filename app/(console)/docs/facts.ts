import type { ExampleModels } from "@/components/api-docs/openapi/example";
import type { Catalogue } from "@/lib/messages/catalogue";
import { usableModels } from "../playground/usable-models";

export type GuideKey = keyof Catalogue["guides"];

/** The guides in the order in which somebody new needs them. */
export const GUIDES: readonly GuideKey[] = [
  "sdks",
  "upstreams",
  "speakers",
  "budgets",
  "alerts",
  "second-factor",
  "backup",
  "proxy",
];

/** Models to show calls with: those that are here, else the names of those built in. */
export async function exampleModels(): Promise<ExampleModels> {
  const [speech, embeddings] = await Promise.all([usableModels("speech"), usableModels("embeddings")]);
  return {
    speech: (speech.find((one) => one.name === "patchbay-speech") ?? speech[0])?.name ?? "patchbay-speech",
    embeddings:
      (embeddings.find((one) => one.name === "patchbay-embed") ?? embeddings[0])?.name ?? "patchbay-embed",
  };
}
