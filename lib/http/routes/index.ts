import type { Route } from "../core/route";
import { ACCOUNT_ROUTES } from "./console/account";
import { ALERTS_ROUTES } from "./console/alerts";
import { KEYS_ROUTES } from "./console/api-keys";
import { AUDIT_ROUTES } from "./console/audit";
import { CHANNELS_ROUTES } from "./console/channels";
import { INVITES_ROUTES } from "./console/invites";
import { LIVE_ROUTES } from "./console/live";
import { LOCAL_VOICES_ROUTES } from "./console/local-voices";
import { CONSOLE_MODELS_ROUTES } from "./console/models";
import { RECORDINGS_ROUTES } from "./console/recordings";
import { SETTINGS_ROUTES } from "./console/settings";
import { SETUP_ROUTES } from "./console/setup";
import { SIGN_IN_ROUTES } from "./console/sign-in";
import { TWO_FACTOR_ROUTES } from "./console/two-factor";
import { OVERVIEW_ROUTES, USAGE_ROUTES } from "./console/usage";
import { USERS_ROUTES } from "./console/users";
import { COUNT_TOKENS_ROUTES, GEMINI_EMBEDDINGS_ROUTES, SPEECH_GEMINI_ROUTES } from "./gateway/gemini";
import { MODELS_ROUTES, VOICES_ROUTES } from "./gateway/models";
import { EMBEDDINGS_ROUTES, SPEECH_OPENAI_ROUTES } from "./gateway/openai";
import { INSTANCES_ROUTES, OPERATIONS_ROUTES, openApiRoute } from "./operations";

/** The routes of every file of this folder. */
const DECLARED_ROUTES: readonly Route[] = [
  ...OPERATIONS_ROUTES,
  ...SETUP_ROUTES,
  ...SIGN_IN_ROUTES,
  ...TWO_FACTOR_ROUTES,
  ...ACCOUNT_ROUTES,
  ...KEYS_ROUTES,
  ...USERS_ROUTES,
  ...INVITES_ROUTES,
  ...SETTINGS_ROUTES,
  ...INSTANCES_ROUTES,
  ...AUDIT_ROUTES,
  ...ALERTS_ROUTES,
  ...CHANNELS_ROUTES,
  ...CONSOLE_MODELS_ROUTES,
  ...LOCAL_VOICES_ROUTES,
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

/** The route table: every URL except the pages and next-auth's. */
export const ROUTES: readonly Route[] = [...DECLARED_ROUTES, openApiRoute(DECLARED_ROUTES)];
