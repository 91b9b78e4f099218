import type { LiveTopic } from "../contracts/console/live";

/** Answers that a topic makes stale, by the beginning of their path. */
export interface LiveRule {
  prefix: string;
  topics: readonly LiveTopic[];
  /** Least time between two readings anew; the last change is always read. */
  minIntervalMs: number;
}

/** The first rule whose prefix fits a path is the path's own. */
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
  // Sums read more than lists do.
  { prefix: "/api/usage/summary", topics: ["usage"], minIntervalMs: 5_000 },
  { prefix: "/api/usage", topics: ["usage"], minIntervalMs: 1_500 },
  { prefix: "/api/overview", topics: ["usage", "circuits", "channels", "models", "keys"], minIntervalMs: 3_000 },
];

const LIST_MARK = "$inf$";

/** The path that a key of the cache was read from; lists of several pages have a mark before it. */
export function pathOf(key: string): string {
  return key.startsWith(LIST_MARK) ? key.slice(LIST_MARK.length) : key;
}

/** The rule of a key of the cache; null where nothing makes it stale. */
export function ruleOf(key: string): LiveRule | null {
  const path = pathOf(key);
  return LIVE_RULES.find((rule) => path.startsWith(rule.prefix)) ?? null;
}
