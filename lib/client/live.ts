import { useEffect, useSyncExternalStore } from "react";
import { type Cache, useSWRConfig } from "swr";
import type { LiveTopic } from "../contracts/console/live";
import { LIVE_RULES, type LiveRule, ruleOf } from "./live-rules";
import { openLiveStream } from "./live-stream";
import { discardUnsaved } from "./unsaved";

type Mutate = ReturnType<typeof useSWRConfig>["mutate"];

let isLive = false;
const watchers = new Set<() => void>();

function setLive(next: boolean): void {
  if (next === isLive) return;
  isLive = next;
  for (const watcher of watchers) watcher();
}

/** Whether this page is told of changes at this moment. */
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

/** Reads the answers of one rule anew; what is shown stays until the new is here. */
function revalidateRule(rule: LiveRule, cache: Cache, mutate: Mutate, isDeep: boolean): void {
  const keys = [...cache.keys()].filter((key) => ruleOf(key) === rule);
  // Later pages of a list are read with its first one, once what is kept of them is gone; the list shows its own copy.
  if (isDeep)
    for (const key of keys) if (key.includes("&cursor=")) void mutate(key, undefined, { revalidate: false });
  for (const key of keys) if (!key.includes("&cursor=")) void mutate(key);
}

/** Calls `work` at once, and then at most every `gapMs`; what is asked for meanwhile is done at the end of the gap. */
function throttle(gapMs: number, work: () => void): { ask(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const run = (): void => {
    isAsked = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAsked) run();
    }, gapMs);
    work();
  };
  return {
    ask() {
      if (timer === undefined) run();
      else isAsked = true;
    },
    stop: () => clearTimeout(timer),
  };
}

/** Keeps what the page has read from the interface fresh while it is looked at. Once a page, inside SWRConfig. */
export function useLiveUpdates(): void {
  const { cache, mutate } = useSWRConfig();
  useEffect(() => {
    const deep = new Set<LiveRule>();
    const readers = LIVE_RULES.map((rule) => ({
      rule,
      ...throttle(rule.minIntervalMs, () => revalidateRule(rule, cache, mutate, deep.delete(rule))),
    }));
    const onChange = (topics: readonly LiveTopic[]) => {
      for (const { rule, ask } of readers) {
        const met = rule.topics.filter((topic) => topics.includes(topic));
        if (met.length === 0) continue;
        // New calls stand on a list's first page.
        if (met.some((topic) => topic !== "usage")) deep.add(rule);
        ask();
      }
    };
    const close = openLiveStream({
      onChange,
      onGap: () => {
        for (const { ask } of readers) ask();
      },
      onEnd: () => {
        discardUnsaved();
        window.location.reload();
      },
      onState: setLive,
    });
    return () => {
      close();
      for (const { stop } of readers) stop();
    };
  }, [cache, mutate]);
}
