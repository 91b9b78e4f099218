import type { LiveTopic } from "../contracts/console/live";

/** Answers that a topic makes stale, by the beginning of their path. */
export interface LiveRule {
  prefix: string;
  on: readonly LiveTopic[];
  /** Least time between two readings anew; the last change is always read. */
  gapMs: number;
}

/** The first rule whose prefix fits a path is the path's own. */
export const LIVE_RULES: readonly LiveRule[] = [
  { prefix: "/api/user/sessions", on: ["sessions"], gapMs: 1_000 },
  { prefix: "/api/users", on: ["users"], gapMs: 1_000 },
  { prefix: "/api/user/", on: ["users"], gapMs: 1_000 },
  { prefix: "/api/invites", on: ["users"], gapMs: 1_000 },
  { prefix: "/api/keys", on: ["keys"], gapMs: 1_000 },
  { prefix: "/api/channels", on: ["channels", "models", "circuits"], gapMs: 1_000 },
  { prefix: "/api/models", on: ["models", "channels"], gapMs: 1_000 },
  { prefix: "/api/settings", on: ["settings"], gapMs: 1_000 },
  { prefix: "/api/alerts", on: ["alerts"], gapMs: 1_000 },
  { prefix: "/api/audit", on: ["users", "keys", "channels", "models", "settings"], gapMs: 2_000 },
  // Sums read more than lists do.
  { prefix: "/api/usage/summary", on: ["usage"], gapMs: 5_000 },
  { prefix: "/api/usage", on: ["usage"], gapMs: 1_500 },
  { prefix: "/api/overview", on: ["usage", "circuits", "channels", "models", "keys"], gapMs: 3_000 },
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
