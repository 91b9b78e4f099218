import type { Route } from "../route";
import { ACCOUNT_ROUTES } from "./account";
import { ALERTS_ROUTES } from "./alerts";
import { AUDIT_ROUTES } from "./audit";
import { CHANNELS_ROUTES } from "./channels";
import { CONSOLE_MODELS_ROUTES } from "./console-models";
import { COUNT_TOKENS_ROUTES } from "./count-tokens";
import { EMBEDDINGS_ROUTES } from "./embeddings";
import { GEMINI_EMBEDDINGS_ROUTES } from "./gemini-embeddings";
import { INVITES_ROUTES } from "./invites";
import { KEYS_ROUTES } from "./keys";
import { LIVE_ROUTES } from "./live";
import { LOGIN_ROUTES } from "./login";
import { MODELS_ROUTES } from "./models";
import { OPERATIONS_ROUTES, openApiRoute } from "./operations";
import { OVERVIEW_ROUTES } from "./overview";
import { RECORDINGS_ROUTES } from "./recordings";
import { SETTINGS_ROUTES } from "./settings";
import { SETUP_ROUTES } from "./setup";
import { SPEECH_GEMINI_ROUTES } from "./speech-gemini";
import { SPEECH_OPENAI_ROUTES } from "./speech-openai";
import { TWO_FACTOR_ROUTES } from "./two-factor";
import { USAGE_ROUTES } from "./usage";
import { USERS_ROUTES } from "./users";
import { VOICES_ROUTES } from "./voices";

/** Each file of this folder adds its own array. */
const DECLARED: readonly Route[] = [
  ...OPERATIONS_ROUTES,
  ...SETUP_ROUTES,
  ...LOGIN_ROUTES,
  ...TWO_FACTOR_ROUTES,
  ...ACCOUNT_ROUTES,
  ...KEYS_ROUTES,
  ...USERS_ROUTES,
  ...INVITES_ROUTES,
  ...SETTINGS_ROUTES,
  ...AUDIT_ROUTES,
  ...ALERTS_ROUTES,
  ...CHANNELS_ROUTES,
  ...CONSOLE_MODELS_ROUTES,
  ...SPEECH_GEMINI_ROUTES,
  ...SPEECH_OPENAI_ROUTES,
  ...VOICES_ROUTES,
  ...RECORDINGS_ROUTES,
  ...EMBEDDINGS_ROUTES,
  ...GEMINI_EMBEDDINGS_ROUTES,
  ...COUNT_TOKENS_ROUTES,
  ...MODELS_ROUTES,
  ...USAGE_ROUTES,
  ...OVERVIEW_ROUTES,
  ...LIVE_ROUTES,
];

/** The one route table: every address outside the pages. */
export const ROUTES: readonly Route[] = [...DECLARED, openApiRoute(DECLARED)];
