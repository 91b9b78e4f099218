import type { JsonKey } from "../contracts/console/endpoint";
import type { LiveTopic } from "../contracts/console/live";
import * as api from "./endpoints";

/** Endpoints whose cached replies are revalidated after a change of one of the topics. */
export interface LiveRule {
  endpoints: readonly JsonKey[];
  topics: readonly LiveTopic[];
  /** Minimum time between two revalidations; the last change is always fetched. */
  minIntervalMs: number;
}

export const LIVE_RULES: readonly LiveRule[] = [
  { endpoints: [api.listSessions], topics: ["sessions"], minIntervalMs: 1_000 },
  {
    endpoints: [api.listUsers, api.readSelf, api.readTwoFactor, api.listInvites],
    topics: ["users"],
    minIntervalMs: 1_000,
  },
  { endpoints: [api.listKeys], topics: ["keys"], minIntervalMs: 1_000 },
  {
    endpoints: [api.listChannels, api.getChannel, api.listChannelErrors],
    topics: ["channels", "models", "circuits"],
    minIntervalMs: 1_000,
  },
  {
    endpoints: [api.listModels, api.previewRoute],
    topics: ["models", "channels", "circuits"],
    minIntervalMs: 1_000,
  },
  { endpoints: [api.readSettings, api.readInstanceFacts], topics: ["settings"], minIntervalMs: 1_000 },
  { endpoints: [api.listAlerts, api.summarizeAlerts], topics: ["alerts"], minIntervalMs: 1_000 },
  {
    endpoints: [api.listAudit, api.verifyAudit],
    topics: ["users", "keys", "channels", "models", "settings"],
    minIntervalMs: 2_000,
  },
  // Summaries cost the database more than lists.
  { endpoints: [api.summarizeUsage, api.countChannelAttempts], topics: ["usage"], minIntervalMs: 5_000 },
  { endpoints: [api.readOwnBudget], topics: ["usage", "users"], minIntervalMs: 5_000 },
  { endpoints: [api.listCalls, api.listRejections, api.getCall], topics: ["usage"], minIntervalMs: 1_500 },
  {
    endpoints: [api.readOverview],
    topics: ["usage", "circuits", "channels", "models", "keys"],
    minIntervalMs: 3_000,
  },
];
