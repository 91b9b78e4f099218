import { readAllowedUpstreams } from "../../console/channels/allow-upstream";
import type { Store } from "../../ports/store";

const RETRY_MS = 1_000;

/**
 * The upstreams that private addresses and plain http are allowed for: those of the environment and the owner's own
 * list, which is read again after each change of it. While the store is away, what was allowed last goes on.
 */
export async function followAllowedUpstreams(
  store: Pick<Store, "settings" | "onChange">,
  ofEnvironment: readonly string[],
): Promise<() => readonly string[]> {
  let current: readonly string[] = [];
  const read = async (): Promise<void> => {
    current = [...ofEnvironment, ...(await readAllowedUpstreams(store))];
  };
  await read();
  // One after another, so that what was read last is what stands: an older list may hold what was taken back.
  let last: Promise<void> = Promise.resolve();
  const refresh = (): void => {
    last = last.then(read).catch(() => {
      setTimeout(refresh, RETRY_MS).unref();
    });
  };
  store.onChange((topics) => {
    if (topics.has("settings")) refresh();
  });
  return () => current;
}
