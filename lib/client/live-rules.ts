import type { LiveTopic } from "../contracts/console/live";

/** The cached replies that topics make stale, by path prefix. */
export interface LiveRule {
  prefix: string;
  topics: readonly LiveTopic[];
  /** Minimum time between two revalidations; the last change is always fetched. */
  minIntervalMs: number;
}

/** The first rule with a matching prefix applies. */
export const LIVE_RULES: readonly LiveRule[] = [
  { prefix: "/api/user/sessions", topics: ["sessions"], minIntervalMs: 1_000 },
  { prefix: "/api/users", topics: ["users"], minIntervalMs: 1_000 },
  { prefix: "/api/user/", topics: ["users"], minIntervalMs: 1_000 },
  { prefix: "/api/invites", topics: ["users"], minIntervalMs: 1_000 },
  { prefix: "/api/keys", topics: ["keys"], minIntervalMs: 1_000 },
  { prefix: "/api/channels", topics: ["channels", "models", "circuits"], minIntervalMs: 1_000 },
  { prefix: "/api/models", topics: ["models", "channels"], minIntervalMs: 1_000 },
  { prefix: "/api/settings", topics: ["settings"], minIntervalMs: 1_000 },
  { prefix: "/api/alerts", topics: ["alerts"], minIntervalMs: 1_000 },
  { prefix: "/api/audit", topics: ["users", "keys", "channels", "models", "settings"], minIntervalMs: 2_000 },
  // Summaries cost the database more than lists.
  { prefix: "/api/usage/summary", topics: ["usage"], minIntervalMs: 5_000 },
  { prefix: "/api/usage", topics: ["usage"], minIntervalMs: 1_500 },
  {
    prefix: "/api/overview",
    topics: ["usage", "circuits", "channels", "models", "keys"],
    minIntervalMs: 3_000,
  },
];

const LIST_PREFIX = "$inf$";

/** The API path of an SWR cache key; keys of paged lists have a prefix. */
export function pathOf(key: string): string {
  return key.startsWith(LIST_PREFIX) ? key.slice(LIST_PREFIX.length) : key;
}

/** The rule of an SWR cache key; null: no topic makes it stale. */
export function ruleOf(key: string): LiveRule | null {
  const path = pathOf(key);
  return LIVE_RULES.find((rule) => path.startsWith(rule.prefix)) ?? null;
}
