import type { Route } from "../route";
import { SPEECH_GEMINI_ROUTES } from "./speech-gemini";
import { SPEECH_OPENAI_ROUTES } from "./speech-openai";
import { VOICES_ROUTES } from "./voices";

/** The one route table: every address outside the pages. Each file of this folder adds its own array. */
export const ROUTES: readonly Route[] = [...SPEECH_GEMINI_ROUTES, ...SPEECH_OPENAI_ROUTES, ...VOICES_ROUTES];
