import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "../../../lib/errors";
import type { Store, Topic } from "../../../lib/ports/store";
import { followAllowedUpstreams } from "../../../lib/server/process/allowed-upstreams";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A store with one list; each read takes `takesMs`, as set when it begins. */
function openStore() {
  const state = { list: ["nas.local:8080"], takesMs: 0, isDown: false };
  const listeners: ((topics: ReadonlySet<Topic>) => void)[] = [];
  // followAllowedUpstreams uses only these.
  const store = {
    settings: {
      async all() {
        const { isDown, takesMs, list } = { ...state };
        await new Promise((resolve) => setTimeout(resolve, takesMs));
        if (isDown) throw new AppError("storage_unavailable", "away");
        return { allowed_upstreams: list };
      },
    },
    onChange: (listener: (topics: ReadonlySet<Topic>) => void) => listeners.push(listener),
  } as unknown as Store;
  const notify = () => {
    for (const listener of listeners) listener(new Set<Topic>(["settings"]));
  };
  const follow = async () => {
    const following = followAllowedUpstreams(store, ["tts:5000"]);
    await vi.advanceTimersByTimeAsync(0);
    return following;
  };
  return { state, notify, follow };
}

test("keeps a revoked entry revoked when an older read finishes later", async () => {
  const { state, notify, follow } = openStore();
  const allowed = await follow();
  expect(allowed()).toEqual(["tts:5000", "nas.local:8080"]);
  state.takesMs = 100;
  notify();
  await vi.advanceTimersByTimeAsync(10);
  Object.assign(state, { list: [], takesMs: 1 });
  notify();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(allowed()).toEqual(["tts:5000"]);
});

test("applies a change once the store is available again", async () => {
  const { state, notify, follow } = openStore();
  const allowed = await follow();
  Object.assign(state, { list: [], isDown: true });
  notify();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(allowed()).toEqual(["tts:5000", "nas.local:8080"]);
  state.isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(allowed()).toEqual(["tts:5000"]);
});
