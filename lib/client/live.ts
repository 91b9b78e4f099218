import { useEffect, useState, useSyncExternalStore } from "react";
import { useSWRConfig } from "swr";
import type { JsonKey } from "../contracts/console/endpoint";
import type { LiveTopic } from "../contracts/console/live";
import * as api from "./endpoints";
import { openLiveStream } from "./live-stream";
import { leaveAtSessionEnd } from "./swr-config";
import { reloadForOtherUser } from "./unsaved";
import { revalidate } from "./use-api";

/** Endpoints whose cached replies are revalidated after a change of one of the topics. */
interface LiveRule {
  endpoints: readonly JsonKey[];
  topics: readonly LiveTopic[];
  /** Minimum time between two revalidations; the last change is always fetched. */
  minIntervalMs: number;
}

export const LIVE_RULES: readonly LiveRule[] = [
  { endpoints: [api.listSessions], topics: ["sessions"], minIntervalMs: 1_000 },
  {
    endpoints: [api.listUsers, api.getUser, api.readSelf, api.readTwoFactor, api.listInvites],
    topics: ["users"],
    minIntervalMs: 1_000,
  },
  { endpoints: [api.listKeys, api.getKey], topics: ["keys"], minIntervalMs: 1_000 },
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
  {
    endpoints: [api.readSettings, api.readInstanceFacts, api.listAllowedUpstreams],
    topics: ["settings"],
    minIntervalMs: 1_000,
  },
  // The summary also tells whether a webhook has a signing secret.
  { endpoints: [api.listAlerts, api.summarizeAlerts], topics: ["alerts", "settings"], minIntervalMs: 1_000 },
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

let isLive = false;
const watchers = new Set<() => void>();

function setLive(next: boolean): void {
  if (next === isLive) return;
  isLive = next;
  for (const watcher of watchers) watcher();
}

/** Whether the event stream is connected. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isLive,
    () => false,
  );
}

/** Runs `work` at once, then at most every `intervalMs`; a trigger in between runs it at the end of the interval. */
function throttle(intervalMs: number, work: () => void): { trigger(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;
  const run = (): void => {
    isPending = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) run();
    }, intervalMs);
    work();
  };
  return {
    trigger() {
      if (timer === undefined) run();
      else isPending = true;
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Revalidates cached API replies when the server reports a change, until the returned function is called. `userId`: the
 * user who opened the page.
 */
export function watchLiveUpdates(userId: string, swr: Parameters<typeof revalidate>[0]): () => void {
  /** Rules whose later pages are stale, too. */
  const rulesWithLaterPages = new Set<LiveRule>();
  const revalidators = LIVE_RULES.map((rule) => ({
    rule,
    ...throttle(rule.minIntervalMs, () => {
      void revalidate(swr, rule.endpoints, rulesWithLaterPages.delete(rule));
    }),
  }));
  const close = openLiveStream(userId, {
    onChange: (topics) => {
      for (const { rule, trigger } of revalidators) {
        const changed = rule.topics.filter((topic) => topics.includes(topic));
        if (changed.length === 0) continue;
        // New calls only appear on the first page of a list.
        if (changed.some((topic) => topic !== "usage")) rulesWithLaterPages.add(rule);
        trigger();
      }
    },
    onGap: () => {
      for (const { rule, trigger } of revalidators) {
        rulesWithLaterPages.add(rule);
        trigger();
      }
    },
    onOtherUser: reloadForOtherUser,
    onEnd: leaveAtSessionEnd,
    onState: setLive,
  });
  return () => {
    close();
    for (const { stop } of revalidators) stop();
  };
}

/** `watchLiveUpdates` for the cache of the page. Use once per page, inside SWRConfig. */
export function useLiveUpdates(userId: string): void {
  // The user who opened the page: when the layout is rendered again, the session may be another user's, but the cache
  // still holds the first user's data.
  const [pageUserId] = useState(userId);
  const { cache, mutate } = useSWRConfig();
  useEffect(() => watchLiveUpdates(pageUserId, { cache, mutate }), [pageUserId, cache, mutate]);
}
