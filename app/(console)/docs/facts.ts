import { headers } from "next/headers";
import type { ExampleModels } from "@/lib/client/openapi/example";
import { PEER_HEADER, peerFrom } from "@/lib/http/peer-header";
import type { Catalogue } from "@/lib/messages/catalogue";
import { getContainer } from "@/lib/server/container";
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

/** The address under which this visitor reaches the service. */
export async function docsOrigin(): Promise<string> {
  const { services } = await getContainer();
  const { baseUrl } = services.instance;
  if (baseUrl) return new URL(baseUrl).origin;
  const head = await headers();
  const { isSecure } = peerFrom(head.get(PEER_HEADER), null);
  return `${isSecure ? "https" : "http"}://${head.get("host") ?? "localhost"}`;
}

/** Models to show calls with: those that are here, else the names of those built in. */
export async function exampleModels(): Promise<ExampleModels> {
  const [speech, embeddings] = await Promise.all([usableModels("speech"), usableModels("embeddings")]);
  return {
    speech: (speech.find((one) => one.name === "patchbay-speech") ?? speech[0])?.name ?? "patchbay-speech",
    embeddings:
      (embeddings.find((one) => one.name === "patchbay-embed") ?? embeddings[0])?.name ?? "patchbay-embed",
  };
}
