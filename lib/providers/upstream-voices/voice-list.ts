import { LRUCache } from "lru-cache";
import { isAppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CallOptions, Voice } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamSettings } from "../upstream/provider";

/** Voices as an upstream lists them; `id` is the value to send. */
export interface ListedVoice extends Voice {
  id: string;
}

const TTL_MS = 300_000;
const FAILED_MS = 60_000;
/** Shortest time between two requests on demand for a list that failed. */
const RETRY_MS = 5_000;
/** Statuses of an upstream that has no list. */
const NO_LIST = new Set([404, 405]);
const MAX_LISTS = 500;
/** Every call searches the list. A longer list is not used at all, so that no voice is refused as unknown. */
const MAX_VOICES = 5_000;
/** A list that takes longer is skipped, because a call is waiting for it. */
const LIST_MS = 2_000;

/** The cache key of a channel's list; it changes with every change of the channel. */
export function listKey(channel: ChannelRecord): string {
  return `${channel.id}/${channel.version}`;
}

/** The list gets at most half of a call's time for the first byte. */
export function listOptions({ clock, limits }: Pick<UpstreamSettings, "clock" | "limits">): CallOptions {
  // `AbortSignal.timeout` throws for a fraction.
  const ms = Math.min(LIST_MS, Math.floor(limits.speechFirstByteMs / 2));
  return { signal: AbortSignal.timeout(ms), requestId: "", firstByteBy: clock.monotonic() + ms };
}

const REFUSED_KEY = new Set([401, 403]);

/** The list that an upstream returns to the first of the channel's keys that it does not refuse. */
export async function listWithAnyKey<List>(
  settings: Pick<UpstreamSettings, "clock" | "limits">,
  channel: ChannelRecord,
  read: (channel: ChannelRecord, options: CallOptions) => Promise<List>,
): Promise<List> {
  // One time limit for all keys together.
  const options = listOptions(settings);
  for (const key of channel.keys.slice(0, -1)) {
    try {
      return await read({ ...channel, keys: [key] }, options);
    } catch (error) {
      if (!isAppError(error) || !REFUSED_KEY.has(error.details.upstreamStatus ?? 0)) throw error;
    }
  }
  return read({ ...channel, keys: channel.keys.slice(-1) }, options);
}

interface Kept {
  /** Null: the upstream has no list, or did not return it, or it is too long. */
  voices: readonly ListedVoice[] | null;
  until: number;
  /** The upstream may have a list, though the last request for it failed. */
  isFailed: boolean;
  /** When a list that failed may be requested on demand. */
  retryFrom: number;
  running: Promise<readonly ListedVoice[] | null> | null;
}

export interface VoiceLists {
  /**
   * Asks the upstream at most once in 5 minutes (1 after a failure); the old list is used while a new one is fetched.
   */
  get(
    key: string,
    fetchList: () => Promise<readonly ListedVoice[] | null>,
  ): Promise<readonly ListedVoice[] | null>;
  /**
   * Requests the list again if its last request failed and no older list is cached: without waiting for the interval,
   * but at most every 5 seconds.
   */
  retry(key: string, fetchList: () => Promise<readonly ListedVoice[] | null>): Promise<void>;
  /** The cached list, without a request. */
  peek(key: string): readonly ListedVoice[] | null;
}

export function createVoiceLists(clock: Clock): VoiceLists {
  const lists = new LRUCache<string, Kept>({ max: MAX_LISTS });
  /** Requests a list; concurrent callers share the request. */
  function request(
    kept: Kept,
    fetchList: () => Promise<readonly ListedVoice[] | null>,
  ): Promise<readonly ListedVoice[] | null> {
    kept.running ??= fetchList()
      .then(
        (voices) => {
          kept.voices = voices !== null && voices.length > MAX_VOICES ? null : voices;
          kept.until = clock.monotonic() + TTL_MS;
          kept.isFailed = false;
        },
        (error: unknown) => {
          // Keeps the old list: an upstream that fails has not lost its voices.
          kept.until = clock.monotonic() + FAILED_MS;
          kept.isFailed = !(isAppError(error) && NO_LIST.has(error.details.upstreamStatus ?? 0));
        },
      )
      .then(() => {
        kept.running = null;
        return kept.voices;
      });
    return kept.running;
  }

  return {
    async get(key, fetchList) {
      const kept = lists.get(key) ?? {
        voices: null,
        until: Number.NEGATIVE_INFINITY,
        isFailed: false,
        retryFrom: Number.NEGATIVE_INFINITY,
        running: null,
      };
      lists.set(key, kept);
      if (clock.monotonic() < kept.until) return kept.voices;
      const isFirst = kept.until === Number.NEGATIVE_INFINITY;
      const running = request(kept, fetchList);
      // Calls wait only for a list's first request: an upstream that does not answer must not delay calls every minute.
      return isFirst ? running : kept.voices;
    },
    async retry(key, fetchList) {
      const kept = lists.get(key);
      if (!kept?.isFailed || kept.voices !== null) return;
      if (kept.running === null && clock.monotonic() < kept.retryFrom) return;
      kept.retryFrom = clock.monotonic() + RETRY_MS;
      await request(kept, fetchList);
    },
    peek: (key) => lists.get(key)?.voices ?? null,
  };
}
