import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { Voice } from "../../ports/speech-model";

/** Voices as an upstream lists them; `id` is what it wants to be sent. */
export interface ListedVoice extends Voice {
  id: string;
}

const FRESH_MS = 300_000;
const FAILED_MS = 60_000;
const MAX_LISTS = 500;

interface Kept {
  /** Null: the upstream has no list, or did not give it. */
  voices: readonly ListedVoice[] | null;
  until: number;
  running: Promise<readonly ListedVoice[] | null> | null;
}

export interface VoiceLists {
  /** Asks the upstream at most once in 5 minutes (1 after a failure); what was known serves while a new one is fetched. */
  get(
    key: string,
    fetchList: () => Promise<readonly ListedVoice[] | null>,
  ): Promise<readonly ListedVoice[] | null>;
  /** What is known without asking. */
  peek(key: string): readonly ListedVoice[] | null;
}

export function createVoiceLists(clock: Clock): VoiceLists {
  const lists = new LRUCache<string, Kept>({ max: MAX_LISTS });
  return {
    async get(key, fetchList) {
      const kept = lists.get(key) ?? { voices: null, until: Number.NEGATIVE_INFINITY, running: null };
      lists.set(key, kept);
      if (clock.monotonic() < kept.until) return kept.voices;
      const isFirst = kept.until === Number.NEGATIVE_INFINITY;
      kept.running ??= fetchList()
        .then(
          (voices) => {
            kept.voices = voices;
            kept.until = clock.monotonic() + FRESH_MS;
          },
          () => {
            // What was known stays: an upstream in trouble has not lost its voices.
            kept.until = clock.monotonic() + FAILED_MS;
          },
        )
        .then(() => {
          kept.running = null;
          return kept.voices;
        });
      // A call waits once: an upstream that could not tell its voices must not hold up every minute's calls.
      return isFirst ? kept.running : kept.voices;
    },
    peek: (key) => lists.get(key)?.voices ?? null,
  };
}
