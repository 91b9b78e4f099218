import { readAllowedUpstreams } from "../../console/channels/allow-upstream";
import type { Store } from "../../ports/store";

const RETRY_MS = 1_000;

/**
 * The upstreams that may use private addresses and plain http: those of the environment and those of the owner's list,
 * which is reloaded after each change. While the store is unavailable, the last list stays in effect.
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
  // Sequential, so that the latest read wins: an older list may contain a revoked entry.
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
