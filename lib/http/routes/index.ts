import type { Route } from "../route";
import { COUNT_TOKENS_ROUTES } from "./count-tokens";
import { EMBEDDINGS_ROUTES } from "./embeddings";
import { GEMINI_EMBEDDINGS_ROUTES } from "./gemini-embeddings";
import { MODELS_ROUTES } from "./models";
import { SPEECH_GEMINI_ROUTES } from "./speech-gemini";
import { SPEECH_OPENAI_ROUTES } from "./speech-openai";
import { USAGE_ROUTES } from "./usage";
import { VOICES_ROUTES } from "./voices";

/** The one route table: every address outside the pages. Each file of this folder adds its own array. */
export const ROUTES: readonly Route[] = [
  ...COUNT_TOKENS_ROUTES,
  ...EMBEDDINGS_ROUTES,
  ...GEMINI_EMBEDDINGS_ROUTES,
  ...MODELS_ROUTES,
  ...USAGE_ROUTES,
  ...SPEECH_GEMINI_ROUTES,
  ...SPEECH_OPENAI_ROUTES,
  ...VOICES_ROUTES,
];
