import type { ListedModel } from "../../ports/channel-probe";

const SPEECH =
  /(?:^|[^a-z])(?:tts|speech|kokoro|piper|orpheus|parler|chatterbox|xtts|bark|voice)(?:[^a-z]|$)|-tts/i;
const EMBEDDINGS =
  /embed|(?:^|[^a-z])(?:bge|gte|e5|minilm|mpnet|jina|nomic|arctic|voyage|stella)(?:[^a-z]|$)/i;

/** A model's operation by its name, where its upstream does not say. */
export function guessOperation(name: string): ListedModel["operation"] {
  if (EMBEDDINGS.test(name)) return "embeddings";
  return SPEECH.test(name) ? "speech" : null;
}
