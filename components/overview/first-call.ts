import { CURL_HEADERS, shellJson } from "@/lib/client/code-samples";
import { modelPath } from "@/lib/client/speech-call";

/** A first call for a shell: speech into a file, or vectors where nothing speaks. The key comes from the environment. */
export function firstCall(
  origin: string,
  models: readonly { name: string; operation: "speech" | "embeddings" }[],
): string {
  const speech = models.find((model) => model.operation === "speech");
  if (speech) {
    return [
      `curl ${origin}/v1/audio/speech \\`,
      CURL_HEADERS,
      `  -d ${shellJson({ model: speech.name, voice: "alloy", input: "Hello from Patchbay." })} \\`,
      "  --fail-with-body --output hello.mp3",
    ].join("\n");
  }
  const model = models[0]?.name ?? "";
  return [
    `curl ${origin}/v1/engines/${modelPath(model)}/embeddings \\`,
    CURL_HEADERS,
    `  -d ${shellJson({ model, input: "Hello from Patchbay." })}`,
  ].join("\n");
}
