import { afterEach, beforeEach, expect, test, vi } from "vitest";

const reload = vi.fn();

/** The modules of a page that was just opened. */
async function openPage() {
  vi.resetModules();
  const { watchLiveUpdates } = await import("@/lib/client/live");
  return { ...(await import("@/lib/client/unsaved")), watchLiveUpdates };
}

class FakeSource extends EventTarget {
  static last: FakeSource | undefined;
  constructor() {
    super();
    FakeSource.last = this;
  }
  close(): void {}
  greet(user_id: string): void {
    this.dispatchEvent(Object.assign(new Event("hello"), { data: JSON.stringify({ user_id }) }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  const page = { visibilityState: "visible", readyState: "complete" };
  vi.stubGlobal("document", Object.assign(new EventTarget(), page));
  vi.stubGlobal(
    "window",
    Object.assign(new EventTarget(), { history: { state: null }, location: { reload } }),
  );
  vi.stubGlobal("EventSource", FakeSource);
  reload.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function openDirtyPageForOtherUser() {
  const { watchLiveUpdates, addUnsaved, answerLeavePrompt } = await openPage();
  const stop = watchLiveUpdates("usr_olivia", { cache: new Map(), mutate: async () => [] });
  const clean = addUnsaved({ name: "Create API key", part: null });
  vi.advanceTimersByTime(500);
  FakeSource.last?.greet("usr_mona");
  stop();
  expect(reload).not.toHaveBeenCalled();
  return { clean, addUnsaved, answerLeavePrompt };
}

test("a page with unsaved changes is reloaded for another user once no unsaved changes are left", async () => {
  const { clean, addUnsaved } = await openDirtyPageForOtherUser();
  clean();
  // The same form under another name.
  const cleanRenamed = addUnsaved({ name: "Create key", part: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).not.toHaveBeenCalled();
  cleanRenamed();
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("a page with unsaved changes is reloaded for another user when they are discarded", async () => {
  const { answerLeavePrompt } = await openDirtyPageForOtherUser();
  answerLeavePrompt(true);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("a page that waits for a secret is not reloaded for another user until the secret is shown and closed", async () => {
  const { awaitSecret, addUnsaved, reloadForOtherUser } = await openPage();
  await awaitSecret("Create API key", Promise.resolve("pb_secret"));
  reloadForOtherUser();
  const close = addUnsaved({ name: "Save your key", part: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).not.toHaveBeenCalled();
  close();
  await vi.advanceTimersByTimeAsync(0);
  expect(reload).toHaveBeenCalledTimes(1);
});
